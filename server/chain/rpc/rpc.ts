import { SealbookError } from "../../errors.ts";
import { NodeError, NodeFault } from "./node-error.ts";
import { limitsRate } from "./node-words.ts";
import { within } from "../../kit/time.ts";

/**
 * A connection to a node, over HTTP or in this process. ethers' `JsonRpcProvider` was measured against ours on one
 * machine: a block's receipts of 2.4 MB take 131 ms of processor time instead of 10 ms, because it decodes UTF-8 in
 * JavaScript, and a small call takes twice as much. It also does not limit the size of a response, and does not divide
 * the batches that a node refuses.
 */
export interface Rpc {
  readonly chainId: number;
  /**
   * One JSON-RPC call.
   * @throws SealbookError `chain_unavailable` when no response came; NodeError when the node returned an error
   */
  call(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /**
   * Checks that the node serves the chain that the journal belongs to, even if it was checked shortly before. Unset for
   * a transport without such a check.
   * @throws SealbookError `chain_unavailable`, caused by {@link WrongChainError} for another chain
   */
  identify?(): Promise<void>;
  /**
   * Makes a call to every node of the chain; returns the results of those that respond. Unset for a single node.
   */
  callEach?(method: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  /**
   * Returns the hash under which a block was recorded when it was made, as `0x` hex. Unset for a node that keeps no
   * record beside its own data.
   */
  recordedHash?(blockNumber: number): Promise<string | undefined>;
  /** The states of the nodes, when there are several. */
  addresses?(): readonly AddressState[];
  /** Closes the connection; calls in flight fail. */
  close(): void;
}

/** The node serves another chain than the one that the journal belongs to. */
export class WrongChainError extends NodeFault {}

/** The node's response to a call has another form than the method's. */
export class MalformedError extends NodeFault {}

/** The node lacks blocks that another response has named: it lags, or is one of several behind an address. */
export class LaggingError extends NodeFault {}

/** The node's responses contradict each other. */
export class ContradictionError extends NodeFault {}

/** Returns whether a read failed because the node's responses contradict each other. */
export function isContradiction(error: unknown): boolean {
  return error instanceof SealbookError && error.cause instanceof ContradictionError;
}

/** Returns whether a read failed because the node lacks blocks. */
export function isLagging(error: unknown): boolean {
  return error instanceof SealbookError && error.cause instanceof LaggingError;
}

/** Returns whether a call failed because the response is too large. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof SealbookError && error.cause instanceof ResponseTooLargeError;
}

/** Returns whether a call failed because the node serves another chain. */
export function isWrongChain(error: unknown): boolean {
  return error instanceof SealbookError && error.cause instanceof WrongChainError;
}

/** Timeout of one call. */
export const TIMEOUT_MILLISECONDS = 15_000;

/** The failure of a call without a usable response. The words of a node are in the cause only. */
export function unavailable(cause: unknown): SealbookError {
  if (cause instanceof NodeFault) return new SealbookError("chain_unavailable", cause.message, { cause });
  const reason = cause instanceof NodeError ? rejectionOf(cause) : "the chain's node does not respond";
  return new SealbookError("chain_unavailable", reason, { cause });
}

/** Describes the error of a node without its words. */
export function rejectionOf(error: NodeError): string {
  return limitsRate(error)
    ? "the chain's node limits the rate of requests"
    : "the chain's node rejects a request at the moment";
}

/** Returns the error that a node returned, when a failure is one; `undefined` for any other failure. */
export function nodeErrorIn(error: unknown): NodeError | undefined {
  if (error instanceof NodeError) return error;
  return error instanceof SealbookError && error.cause instanceof NodeError ? error.cause : undefined;
}

/** The failure of a call that took too long. */
export function timedOut(milliseconds: number): Error {
  return new Error(`no response came within ${milliseconds / 1000} s`);
}

/** The longest time of a request that needs many calls: a node that limits the rate can make each of them slow. */
const DEADLINE_MILLISECONDS = 25_000;

/**
 * Waits for work of many calls until the deadline of a request; a later result is dropped.
 * @throws SealbookError `chain_unavailable` after the deadline
 */
export function withinDeadline<T>(work: Promise<T>): Promise<T> {
  return within(DEADLINE_MILLISECONDS, work, () => unavailable(timedOut(DEADLINE_MILLISECONDS)));
}

/** The failure of a call over a connection that was closed on this side. */
export function closed(): Error {
  return new Error("the connection to the node was closed");
}

/** Reads the `error` of a response; `undefined` for anything that is not a JSON-RPC error. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  if (error instanceof NodeError) return error;
  if (typeof error !== "object" || error === null || !("message" in error)) return undefined;
  // Every error of a node has a numeric code; an error without one comes from the transport.
  if (!("code" in error) || typeof error.code !== "number") return undefined;
  return new NodeError(String(error.message), error.code, "data" in error ? revertData(error.data) : undefined);
}

/** Extracts revert data. Most nodes return it as text, some after a word, some in an object. */
function revertData(data: unknown): string | undefined {
  if (typeof data === "string") return /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1];
  return typeof data === "object" && data !== null && "data" in data ? revertData(data.data) : undefined;
}

/** Encodes a number for JSON-RPC. */
export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** Replaces the error of a node that lacks a method. Unavailable and limited nodes stay errors. */
export function ifNodeError<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    const refusal = nodeErrorIn(error);
    if (refusal !== undefined && !limitsRate(refusal)) return otherwise;
    throw refusal === error ? unavailable(error) : error;
  };
}

/** The state of one of the configured node addresses. */
export interface AddressState {
  /** Without name, password and query. */
  readonly address: string;
  /** Whether calls go to this address. */
  readonly active: boolean;
  readonly reachable: boolean;
  /** The node's newest block; `undefined` before the first check. */
  readonly blockNumber: number | undefined;
  /** Why the address is not used. */
  readonly reason: string | undefined;
}

/** The response to one call; the error is thrown to the caller as it is. */
export type RpcResponse =
  { readonly id: unknown; readonly result: unknown } | { readonly id: unknown; readonly error: Error };

/** Reads one JSON-RPC response; anything else becomes an error. */
export function responseOf(message: unknown): RpcResponse {
  if (typeof message !== "object" || message === null) return { id: undefined, error: malformedResponse() };
  const id = "id" in message ? idOf(message.id) : undefined;
  // Some nodes write both fields, with null in the one that does not apply.
  if ("error" in message && message.error !== null && message.error !== undefined) {
    return { id, error: nodeErrorOf(message.error) ?? malformedResponse() };
  }
  return "result" in message ? { id, result: message.result } : { id, error: malformedResponse() };
}

/** Some gateways return the id as text. */
function idOf(id: unknown): unknown {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

/** The failure of a call with a malformed response. */
export function malformedResponse(): Error {
  return unavailable(new Error("the message is not a JSON-RPC response to the call"));
}

/** Encodes one request. */
export function requestText(id: number, method: string, parameters: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: parameters });
}

const MIB = 1024 * 1024;

/** Bytes of the longest response to most methods. A contract's code has 48 KiB, a full block's hashes 100 KiB. */
export const MAX_BYTES = MIB;
/**
 * Bytes of the longest response with transactions, receipts or logs. A block of 30 million gas has at most 2.5 MB of
 * them, as rows of records: 24 gas for a byte of call data that is logged.
 */
export const MAX_CONTENT_BYTES = 32 * MIB;

const CONTENT_METHODS = new Set([
  "eth_getBlockReceipts",
  "eth_getLogs",
  "eth_getRawTransactionByHash",
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
export class ResponseTooLargeError extends NodeFault {}

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
