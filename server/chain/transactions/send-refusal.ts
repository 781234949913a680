import { NodeError } from "../rpc/rpc.ts";

/**
 * The reason why a node rejects a raw transaction.
 * - `known`: the node already has the transaction
 * - `nonce_used`: another transaction, or this one, was mined with the nonce
 * - `later`: the same bytes can be sent again: no response, a full pool, an empty account
 * - `never`: the node will never accept these bytes
 */
export type SendRefusal = "known" | "nonce_used" | "later" | "never";

// Nodes have no common codes for these errors, only messages. These are of Besu, Geth, Nethermind, Erigon and Anvil.
const KNOWN = /already known|known transaction|already imported|already exists|alreadyknown/i;
const NONCE_USED = /nonce too low|nonce_too_low|oldnonce|nonce is too low/i;
/** Faults of the relayer's key or settings: the gas limit is the same for every payload of a size. */
const ANY_PAYLOAD =
  "exceeds block gas limit|gas limit (is )?too (low|high)|exceeds.*(tx|transaction) gas|" +
  "invalid (sender|signature|chain ?id)|(wrong|incorrect) chain ?id|transaction type not supported";
const NEVER = new RegExp(`^rlp\\b|intrinsic gas|oversized|max initcode|${ANY_PAYLOAD}`, "i");
const RELAYER_FAULT = new RegExp(`^AccessControl|out ?of ?gas|${ANY_PAYLOAD}`, "i");

/** Classifies the error of a node that rejected a transaction. */
export function classifyRefusal(error: unknown): SendRefusal {
  if (!(error instanceof NodeError)) return "later";
  if (KNOWN.test(error.message)) return "known";
  if (NONCE_USED.test(error.message)) return "nonce_used";
  if (NEVER.test(error.message)) return "never";
  return "later";
}

/**
 * Returns whether a final refusal or a revert can depend on the payload, so that another payload of the same relayer
 * could succeed. An unknown reason can.
 */
export function dependsOnPayload(reason: string): boolean {
  return !RELAYER_FAULT.test(reason);
}
