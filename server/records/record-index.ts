import type { AccountChange } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { NewRecordRow } from "./record.ts";

/** An event and its meaning for the index. */
export type LogEntry =
  | { readonly kind: "row"; readonly row: NewRecordRow }
  | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** The record index: a local copy of the event table's rows. Written by the event indexer. */
export interface RecordIndexStore {
  progress(): Promise<{ blockNumber: number; blockHash: Uint8Array } | undefined>;
  /**
   * Applies the entries of a range of blocks and the new progress in one commit.
   * @param after Required current progress; `undefined` for an empty index
   * @returns false if the progress differs because another process changed or dropped the index
   */
  apply(
    entries: readonly LogEntry[],
    after: number | undefined,
    blockNumber: number,
    blockHash: Uint8Array,
  ): Promise<boolean>;
  /** Deletes the index; the indexer rebuilds it from the chain. */
  drop(): Promise<void>;
}

/** Events and block hashes of the chain. */
export interface EventLog {
  blockHash(blockNumber: number): Promise<Uint8Array | undefined>;
  /** Returns the entries of a range of blocks, both ends included, in order. */
  entries(fromBlock: number, toBlock: number): Promise<LogEntry[]>;
  /** Deployment block of the oldest contract. */
  readonly firstBlock: number;
}

/** Read access to the indexing progress. */
export interface RecordIndex {
  /** Waits until the index includes a block; returns false after the timeout. */
  waitForBlock(blockNumber: number, waitMilliseconds: number): Promise<boolean>;
}
