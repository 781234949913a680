/** A stored anchor with its transaction and confirmation, as input of the comparison. */
export interface AnchorFacts {
  readonly id: number;
  readonly batch: number;
  readonly firstLeaf: number;
  readonly lastLeaf: number;
  /** `null` while it is open. */
  readonly hash: Uint8Array | null;
  readonly size: number;
  /** Entry whose digest is anchored. */
  readonly checkpoint: number | null;
  readonly transactionId: number | null;
  /** `undefined` when the transaction does not exist. */
  readonly transaction: TransactionFacts | undefined;
  /** Entry referenced as the confirmation. */
  readonly confirmation: number | null;
  /** Content that the entry confirms; `undefined` when the entry is not a confirmation. */
  readonly confirms: { readonly anchor: number; readonly blockHash: Uint8Array } | undefined;
  /** Newest entry that confirms the anchor. */
  readonly newestConfirmation: number | null;
}

/** The fields of a relayer transaction that concern an anchor. */
export interface TransactionFacts {
  readonly isConfirmed: boolean;
  readonly hash: Uint8Array | null;
  readonly blockNumber: number | null;
  readonly blockHash: Uint8Array | null;
}
