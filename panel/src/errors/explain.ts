import { ClientError } from "../../../client/errors.ts";
import type { Texts } from "../texts/texts.ts";

/** An error text and its remedy. */
export interface Explanation {
  readonly title: string;
  readonly help: string;
  /** Faults of the input as reported by the server. */
  readonly details: readonly { readonly path: string; readonly message: string }[];
}

/** Converts an error to a text. */
export function explain(error: unknown, { errors }: Texts): Explanation {
  if (!(error instanceof ClientError)) return { title: errors.unknown, help: messageOf(error), details: [] };
  const { code, details, retryAfterSeconds: wait } = error;
  const told = { details };
  switch (code) {
    case "unreachable":
      return { title: errors.unreachable, help: errors.unreachableHelp, ...told };
    case "timeout":
      return { title: errors.timeout, help: errors.timeoutHelp, ...told };
    case "login_refused":
      return { title: errors.loginRefused, help: errors.loginRefusedHelp, ...told };
    case "token_invalid":
    case "token_expired":
      return { title: errors.sessionOver, help: errors.sessionOverHelp, ...told };
    case "scope_refused":
      return { title: errors.scopeRefused, help: errors.scopeRefusedHelp, ...told };
    case "too_many_requests":
      return {
        title: errors.tooMany,
        help: wait === undefined ? errors.tooManyHelp : errors.tooManyHelpIn(wait),
        ...told,
      };
    case "chain_unavailable":
      return {
        title: errors.chainAway,
        help: `${errors.chainAwayHelp} ${errors.serverSays(error.message)}`,
        details: [],
      };
    case "chain_reverted":
      return { title: errors.chainRefused, help: error.message, ...told };
    case "malformed":
    case "too_large":
      return { title: errors.malformed, help: details.length === 0 ? error.message : errors.malformedHelp, ...told };
    default:
      return { title: errors.unknown, help: errors.serverSays(error.message), ...told };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
