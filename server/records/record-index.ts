import type { AccountChange } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { NewRecordRow } from "./record.ts";

/** A row of the chain's log and what it means for the local copy. */
export type LogEntry =
  | { readonly kind: "row"; readonly row: NewRecordRow }
  | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** The local copy of the event table, written by whoever follows the log. */
export interface RecordIndexStore {
  progress(): Promise<{ blockNumber: number; blockHash: Uint8Array } | undefined>;
  /**
   * Takes over what a range of blocks says and where it ended, whole or not at all.
   * @param after Where the copy has to stand; `undefined` for a copy that holds nothing yet
   * @returns false when it stands elsewhere, because somebody else changed or dropped it
   */
  apply(
    entries: readonly LogEntry[],
    after: number | undefined,
    blockNumber: number,
    blockHash: Uint8Array,
  ): Promise<boolean>;
  /** Forgets the copy; it is built again from the chain. */
  drop(): Promise<void>;
}

/** The chain's log and head, as a follower needs them. */
export interface ChainLog {
  blockHash(blockNumber: number): Promise<Uint8Array | undefined>;
  /** What the contracts logged from one block to another, both included, in order. */
  entries(fromBlock: number, toBlock: number): Promise<LogEntry[]>;
  /** The block in which the oldest of the contracts was deployed. */
  readonly firstBlock: number;
}

/** The local copy of the event table, as a reader of it needs it. */
export interface RecordIndex {
  /** Waits until the copy holds everything up to a block; false when it does not within the wait. */
  reached(blockNumber: number, waitMilliseconds: number): Promise<boolean>;
}
