import { EXAMPLES } from "../../server/composition/openapi.ts";
import type { Example } from "../../server/http/openapi/document.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** Returns an example of the OpenAPI document. */
export function example(operation: string, name: string): Example {
  const found = EXAMPLES[operation]?.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no example ${name} of ${operation}`);
  return found;
}

const bodyOf = (operation: string, name: string): ParsedJson => example(operation, name).body?.value;

/** The document that the examples prove. */
export const CONTRACT: {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: Readonly<Record<string, unknown>>;
} = bodyOf("submitProof", "contract");
/** The documents of the examples' batch. */
export const ORDERS: readonly (typeof CONTRACT)[] = bodyOf("submitProofs", "orders").documents;
/** Restored documents: one unchanged, one changed, one never recorded. */
export const RESTORED: readonly { readonly document_id: string; readonly hash: string }[] = bodyOf(
  "verifyRestored",
  "restored",
).documents;

const pathOf = (operation: string, name: string, parameter: string) =>
  String(example(operation, name).path?.[parameter]);

/** What the requests of the examples name: ids of the server whose responses were recorded. */
export const EXAMPLE_IDS = {
  proof: pathOf("findProof", "id", "id"),
  batch: pathOf("findBatch", "page", "id"),
  transaction: pathOf("findByTransaction", "one", "txhash"),
  contract: pathOf("exploreAddress", "contract", "address"),
  callData: String(bodyOf("call", "decode").payload.inputdata),
  verification: String(example("gap", "restored").query?.["verification_id"]),
};

/** The record that the examples store. */
export const EXAMPLE_RECORD: { readonly code: string } = bodyOf("call", "store").payload;

/** Placeholders for an account and its token. */
export const EXAMPLE_CREDENTIALS: { readonly login: string; readonly password: string; readonly token: string } = {
  ...bodyOf("call", "auth").credentials,
  ...bodyOf("call", "validate").credentials,
};
