import { NodeError } from "./node-error.ts";

/**
 * What nodes say with an error. Codes and words differ between nodes and gateways, so that both only classify an error
 * here and nowhere else; what happened to a transaction is decided by the chain's state, never by words.
 */

/** A revert of a contract, as opposed to a node that could not run the call. */
const REVERT_CODE = 3;
const REVERT_MESSAGE = /execution reverted/i;

/** Returns whether a call was run and the contract reverted it. */
export function isRevert({ code, data, message }: NodeError): boolean {
  return code === REVERT_CODE || data !== undefined || REVERT_MESSAGE.test(message);
}

/** Error codes of nodes that limit the rate of calls; those that have other meanings, too, need the message. */
const RATE_LIMIT_CODES = new Set([429, -32090, -32029]);
const RATE_LIMIT_MESSAGE =
  /\b429\b|too many requests|\brate\b.*\b(?:limit|exceed)|\blimit\b.*\brate\b|(?:per |\/)second|compute units/i;
const AMBIGUOUS_CODES = new Set([-32000, -32005, -32007, -32016, -32603]);

/** Returns whether a node rejects a call because there were too many. */
export function limitsRate({ code, message }: NodeError): boolean {
  return RATE_LIMIT_CODES.has(code) || (AMBIGUOUS_CODES.has(code) && RATE_LIMIT_MESSAGE.test(message));
}

/** Error codes of nodes that refuse batches, or long ones: invalid, unknown, over a limit. Others mention the batch. */
const REFUSES_BATCH = new Set([-32600, -32601, -32005]);
const BATCH_MESSAGE = /\bbatch/i;

/** Returns whether a node refuses several calls in one request, or so many. */
export function refusesBatch({ code, message }: NodeError): boolean {
  return REFUSES_BATCH.has(code) || BATCH_MESSAGE.test(message);
}

/** Error codes of nodes for a missing method: unknown, or not enabled. Some return another code with such a message. */
const LACKS_METHOD = new Set([-32601, -32604]);
const LACKS_METHOD_MESSAGE = /\bmethod\b.*\bnot\b|\bunsupported method\b/i;

/** Returns whether a node lacks a method. */
export function lacksMethod({ code, message }: NodeError): boolean {
  return LACKS_METHOD.has(code) || LACKS_METHOD_MESSAGE.test(message);
}

/** A node that keeps only the newest state returns this error when it makes a block during the query. */
const STATE_IS_GONE = /BlockOutOfRange/;

/** Returns whether a node dropped the state that a call asked for in the meantime. */
export function lostState({ message }: NodeError): boolean {
  return STATE_IS_GONE.test(message);
}

/**
 * The reason why a node rejects a raw transaction.
 * - `known`: the node already has the transaction
 * - `nonce_used`: another transaction, or this one, was mined with the nonce
 * - `underpriced`: the fee is too low, for a block or to replace a pending transaction
 * - `unfunded`: the account cannot pay for it
 * - `later`: the same bytes can be sent again: no response, a full pool
 * - `never`: the node will never accept these bytes
 */
export type SendRefusal = "known" | "nonce_used" | "underpriced" | "unfunded" | "later" | "never";

// Nodes have no common codes for these errors, only messages. These are of Besu, Geth, Nethermind, Erigon, Anvil and
// Hardhat.
const KNOWN = /already known|known transaction|already imported|already exists|alreadyknown/i;
const NONCE_USED = /nonce too low|nonce_too_low|oldnonce|nonce is too low/i;
const UNDERPRICED = new RegExp(
  "underpriced|less than (the )?(current )?(block )?base ?fee|too low for the next block|fee ?too ?low|" +
    "gas ?price.*(below|too low|at least)|replacement ?not ?allowed|could not replace",
  "i",
);
const UNFUNDED = /insufficient (funds|balance)|insufficientfunds|up-?front cost|enough funds|exceeds allowance/i;
const NEVER = new RegExp(
  "^rlp\\b|intrinsic gas|oversized|max initcode|" +
    "exceeds block gas limit|gas limit (is )?too (low|high)|exceeds.*(tx|transaction) gas|" +
    "invalid (sender|signature|chain ?id)|(wrong|incorrect) chain ?id|transaction type not supported",
  "i",
);

/** Classifies the error of a node that rejected a transaction. */
export function classifyRefusal(error: unknown): SendRefusal {
  if (!(error instanceof NodeError)) return "later";
  if (KNOWN.test(error.message)) return "known";
  if (NONCE_USED.test(error.message)) return "nonce_used";
  if (UNDERPRICED.test(error.message)) return "underpriced";
  if (UNFUNDED.test(error.message)) return "unfunded";
  if (NEVER.test(error.message)) return "never";
  return "later";
}
