const MIB = 1024 * 1024;

/** Bytes of the longest response to most methods. A contract's code has 48 KiB, a full block's hashes 100 KiB. */
const MAX_BYTES = MIB;
/**
 * Bytes of the longest response with transactions, receipts or logs. A block of 30 million gas has at most 2.5 MB of
 * them, as rows of records: 24 gas for a byte of call data that is logged.
 */
export const MAX_CONTENT_BYTES = 32 * MIB;

const CONTENT_METHODS = new Set([
  "eth_getBlockReceipts",
  "eth_getFilterChanges",
  "eth_getFilterLogs",
  "eth_getLogs",
  "eth_getRawTransactionByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
]);
const BLOCK_METHODS = new Set(["eth_getBlockByHash", "eth_getBlockByNumber"]);

/** Responses up to this length are parsed whatever their values are. */
const DENSITY_CHARACTERS = MIB;
/** Characters that a value has on average at least: those of transactions, receipts and logs have 25 and more. */
const CHARACTERS_PER_VALUE = 16;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** A response that is longer, or has more values, than any honest one. */
export class ResponseTooLargeError extends Error {}

/** Returns how many bytes the response to a call may have. */
export function maxResponseBytes(method: string, parameters: readonly unknown[]): number {
  const hasContent = CONTENT_METHODS.has(method) || (BLOCK_METHODS.has(method) && parameters[1] === true);
  return hasContent ? MAX_CONTENT_BYTES : MAX_BYTES;
}

/**
 * Parses a response. Values need many times the memory of their text, so that a long response of short values is
 * refused before.
 * @throws ResponseTooLargeError; SyntaxError
 */
export function parseBounded(text: string): unknown {
  if (text.length > DENSITY_CHARACTERS) {
    let values = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values += 1;
    }
    if (values > text.length / CHARACTERS_PER_VALUE)
      throw new ResponseTooLargeError(`the node's response has ${values} values in ${text.length} characters`);
  }
  return JSON.parse(text);
}
