/** A block as the journal keeps it with a transaction. */
export interface BlockReference {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Block time, Unix seconds. */
  readonly time: number;
  /** The proposer's address, or the name configured for it. */
  readonly validator: string;
}

/** The newest block. */
export interface BlockHead {
  readonly number: number;
  /** Block time, Unix seconds. */
  readonly time: number;
}
