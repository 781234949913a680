import type { NodeError } from "./node-error.ts";

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
