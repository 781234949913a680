import { NodeError } from "../rpc/rpc.ts";

/**
 * What a node's answer to a raw transaction means.
 * - `known`: it has the transaction already
 * - `nonce_used`: another transaction, or this one, was mined with the nonce
 * - `later`: try the same bytes again: no answer, a full pool, an empty account
 * - `never`: these bytes will not be taken however often they are sent
 */
export type SendRefusal = "known" | "nonce_used" | "later" | "never";

// Nodes share no codes for these; what they share are words. Besu, Geth, Nethermind, Erigon and Anvil were read.
const KNOWN = /already known|known transaction|already imported|already exists|alreadyknown/i;
const NONCE_USED = /nonce too low|nonce_too_low|oldnonce|nonce is too low/i;
const NEVER =
  /^rlp\b|intrinsic gas|exceeds block gas limit|gas limit (is )?too (low|high)|oversized|invalid (sender|signature|chain ?id)|(wrong|incorrect) chain ?id|transaction type not supported|max initcode|exceeds.*(tx|transaction) gas/i;

/** Tells apart why a node did not take a transaction. */
export function classifyRefusal(error: unknown): SendRefusal {
  if (!(error instanceof NodeError)) return "later";
  if (KNOWN.test(error.message)) return "known";
  if (NONCE_USED.test(error.message)) return "nonce_used";
  if (NEVER.test(error.message)) return "never";
  return "later";
}
