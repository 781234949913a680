import type { AddressState } from "./address-state.ts";
import { SealbookError } from "../../errors.ts";
import { PeerTlsError } from "./peer-tls.ts";

/**
 * A connection to a node. The transports are our own: ethers' WebSocket provider does not reconnect (ethers.js issues
 * 1053 and 4721), and viem opens its sockets without TLS options, so that client certificates and pins would be lost.
 */
export interface Rpc {
  readonly chainId: number;
  /**
   * One JSON-RPC call.
   * @throws SealbookError `chain_unavailable` when no answer came; {@link NodeError} when the node answered an error
   */
  call(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /**
   * Has the node tell of each new block by itself. Lasts over lost connections: then the node is asked to tell again.
   * Left out where the transport cannot carry it.
   */
  subscribe?(topic: "newHeads", subscriber: Subscriber): Subscription;
  /** How the nodes do, where there are several. */
  addresses?(): readonly AddressState[];
  /** Ends the connection; whoever waits for an answer is told that none will come. */
  close(): void;
}

/** Who is told what a node says by itself. */
export interface Subscriber {
  /** From now on the node tells; what happened before has to be asked for. */
  onLive(): void;
  /** What the node told, unchecked. */
  onNotification(notice: unknown): void;
  /** The node tells no more: it refused, or the connection is lost. After the latter `onLive` follows by itself. */
  onLost(error: unknown): void;
}

/** What a subscriber holds. */
export interface Subscription {
  /** The subscriber is told nothing any more. */
  end(): void;
}

/**
 * The error that a node returned to a call. It is no {@link SealbookError}, because its meaning depends on the call: a
 * revert, a refused transaction, a range of blocks that is too long, a missing method. The callers in this room, in
 * `explorer/chain` and in the commands map it; nothing else gets to see it.
 */
export class NodeError extends Error {
  readonly code: number;
  /** Revert data as `0x` hex, when the node gave any. */
  readonly data: string | undefined;

  constructor(message: string, code: number, data: string | undefined) {
    super(message);
    this.name = "NodeError";
    this.code = code;
    this.data = data;
  }
}

/** How long a node may take to answer one call. */
export const TIMEOUT_MILLISECONDS = 15_000;
/** The longest answer that is read. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What a call fails with when no answer came. */
export function unavailable(cause: unknown): SealbookError {
  const reason = cause instanceof PeerTlsError ? cause.message : "the chain's node does not answer";
  return new SealbookError("chain_unavailable", reason, { cause });
}

/** The failure of a call that took too long. */
export function timedOut(milliseconds: number): Error {
  return new Error(`no answer came within ${milliseconds / 1000} s`);
}

/** The failure of a call over a connection that was closed on this side. */
export function closed(): Error {
  return new Error("the connection to the node was closed");
}

/** What the `error` of an answer says; `undefined` when it is not an error as JSON-RPC has them. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  if (error instanceof NodeError) return error;
  if (typeof error !== "object" || error === null || !("message" in error)) return undefined;
  // Every error that a node answers has a code; an error without one was made on the way.
  if (!("code" in error) || typeof error.code !== "number") return undefined;
  return new NodeError(String(error.message), error.code, "data" in error ? revertData(error.data) : undefined);
}

/** Most nodes give revert data as it is, some behind a word, some in an object. */
function revertData(data: unknown): string | undefined {
  if (typeof data === "string") return /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1];
  return typeof data === "object" && data !== null && "data" in data ? revertData(data.data) : undefined;
}

/** A number as JSON-RPC writes it. */
export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
