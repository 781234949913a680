/** An anchor as it is stored, with what belongs to it: what is compared. */
export interface AnchorFacts {
  readonly id: number;
  readonly batch: number;
  readonly firstLeaf: number;
  readonly lastLeaf: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** `null` while it is open. */
  readonly hash: Uint8Array | null;
  readonly size: number;
  /** The entry whose digest it is for. */
  readonly checkpoint: number | null;
  readonly transactionId: number | null;
  /** `undefined` when there is no such transaction. */
  readonly transaction: TransactionFacts | undefined;
  /** The entry that it names as its confirmation. */
  readonly confirmation: number | null;
  /** What that entry confirms; `undefined` when it is no confirmation. */
  readonly confirms: { readonly anchor: number; readonly blockHash: Uint8Array } | undefined;
  /** The newest entry that confirms it. */
  readonly newestConfirmation: number | null;
}

/** A transaction of the relayer's, as far as it matters to an anchor. */
export interface TransactionFacts {
  readonly isConfirmed: boolean;
  readonly hash: Uint8Array | null;
  readonly blockNumber: number | null;
  readonly blockHash: Uint8Array | null;
}
