/** A fault that we found in a node, its responses or the connection to it; the words are ours and may be shown. */
export class NodeFault extends Error {}

/**
 * The error that a node returned to a call. Only the transports, and what reads a response at the edge, receive it: the
 * queries above them get {@link unavailable} with this cause, or a revert.
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
