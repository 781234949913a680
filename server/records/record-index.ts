import type { AccountChange } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { RecordContent } from "./record.ts";

/** A table that is indexed: by a contract of this installation, current or former. */
export interface IndexedTable {
  readonly id: number;
  /** Address of the event table contract. */
  readonly contract: Address;
  readonly name: string;
  /** A block before which the contract has no event. */
  readonly firstBlock: number;
}

/** A row as the contract wrote it, of any table. */
export interface RowWrite {
  /** The indexed table; `undefined` for any other. */
  readonly table: number | undefined;
  readonly tableName: string;
  readonly rowId: bigint;
  /** Digest of row data and signature. */
  readonly digest: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** An event and its meaning for the index. */
export type LogEntry =
  /** `row` is `undefined` when the write is no record of an indexed table. */
  | { readonly kind: "row"; readonly write: RowWrite; readonly row: RecordContent | undefined }
  | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** The record index: a local copy of the event table's rows. Written by the event indexer. */
export interface RecordIndexStore {
  progress(): Promise<{ blockNumber: number; blockHash: Uint8Array } | undefined>;
  /**
   * Applies the entries of a range of blocks and the new progress in one commit.
   * @param after Required current progress; `undefined` for an empty index
   * @returns `undefined` if the progress differs because another process changed or dropped the index
   */
  apply(
    entries: readonly LogEntry[],
    after: number | undefined,
    blockNumber: number,
    blockHash: Uint8Array,
  ): Promise<IndexChange | undefined>;
  /** Deletes the index; the indexer rebuilds it from the chain. */
  drop(): Promise<void>;
}

/** Writes past this server, by what they did. */
export interface IndexChange {
  /** Records that another row was written over. */
  readonly overwritten: readonly RowWrite[];
  /** Row data and signatures of records that were written once more, or in another place. */
  readonly replayed: readonly RowWrite[];
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
