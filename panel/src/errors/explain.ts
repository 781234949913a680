import { ClientError } from "../../../client/errors.ts";
import { messageOf } from "./message-of.ts";
import { access } from "../access/proof-access.ts";
import type { Texts } from "../texts/texts.ts";

/** An error text and its remedy. */
export interface Explanation {
  readonly title: string;
  readonly help: string;
  /** Input errors as reported by the server. */
  readonly details: readonly { readonly path: string; readonly message: string }[];
}

/** Codes whose message of the server says what no text of ours can. */
const SAYING = [
  "forbidden",
  "conflict",
  "too_expensive",
  "too_large",
  "malformed",
  "chain_unavailable",
  "chain_reverted",
];

/** Converts an error to a text. */
export function explain(error: unknown, { errors }: Texts): Explanation {
  if (!(error instanceof ClientError)) return { title: errors.unknown, help: messageOf(error), details: [] };
  const { code, message, details, retryAfterSeconds: wait } = error;
  const known = new Map(Object.entries(errors.codes)).get(code);
  if (known === undefined) return { title: errors.unknown, help: errors.serverMessage(message), details };
  const [title, help] = known;
  if (code === "unauthorized" && access.value !== "") return { title, help: errors.wrongKey, details };
  if (code === "too_many_requests" && wait !== undefined) return { title, help: errors.tooManyHelpIn(wait), details };
  // The details say the same as the message, at their places.
  if (code === "malformed" && details.length > 0) return { title, help: errors.malformedFields, details };
  return { title, help: SAYING.includes(code) ? `${help} ${errors.serverMessage(message)}` : help, details: [] };
}
