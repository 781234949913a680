import type { IntentStore } from "../chain/transactions/transactions.ts";

/** A row of the record index. */
export interface RecordRow {
  /** Position in the order of the chain's log; increases with every row written. */
  readonly position: number;
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

/** A row from the chain's log before its insertion into the index. */
export type NewRecordRow = Omit<RecordRow, "position">;

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
  /** Returns the next row id of a table. Ids start at 1 and are never reused. */
  nextRowId(table: string): Promise<bigint>;
  search(query: RecordQuery): Promise<RecordRow[]>;
  count(): Promise<number>;
}

/** The journal stores of records. */
export interface RecordStores {
  readonly records: RecordStore;
  readonly intents: IntentStore;
}
