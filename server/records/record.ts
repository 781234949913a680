import type { IntentStore } from "../chain/transactions/transactions.ts";

/** A row of the record index: one for each signed row, however often it is written. */
export interface RecordRow extends RecordMarks {
  /** Position in the order of the chain's log; increases with every new row. */
  readonly position: number;
  /** The indexed table. */
  readonly table: number;
  readonly rowId: bigint;
  readonly sender: string;
  readonly code: string;
  readonly topic: string;
  /** HTTP date as stored. */
  readonly createdAt: string;
  /** Base64 of the payload's JSON as stored. */
  readonly payload: string;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** What happened to a row on chain after it was written. */
export interface RecordMarks {
  /** The transaction that wrote another row over it; `undefined` while it is the current one of its number. */
  readonly overwrittenBy: Uint8Array | undefined;
  /** How often the same row data and signature were written besides: in its place again, or in another one. */
  readonly replays: number;
  /** The newest transaction that did so. */
  readonly replayedBy: Uint8Array | undefined;
}

/** The content of a record as its row data have it. */
export type RecordContent = Pick<RecordRow, "sender" | "code" | "topic" | "createdAt" | "payload">;

/** The field that a search compares. */
export type SearchField = "code" | "topic";

/** A query of the index, newest first. */
export interface RecordQuery {
  readonly field: SearchField;
  readonly pattern: SearchPattern;
  readonly limit: number;
  /** Returns only rows with a smaller position. */
  readonly before?: number;
}

/** The literal pieces between the wildcards. A single piece means equality. */
export type SearchPattern = readonly [string, ...string[]];

export interface RecordStore {
  /** Returns the next free row id of a table. Ids start at 1, are never reused, and skip those of other writers. */
  nextRowId(table: string): Promise<bigint>;
  search(query: RecordQuery): Promise<RecordRow[]>;
  count(): Promise<number>;
}

/** The journal stores of records. */
export interface RecordStores {
  readonly records: RecordStore;
  readonly intents: IntentStore;
}
