import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { RecordQuery, RecordRow } from "./record.ts";

export interface RecordStore {
  /** The next row id of a table: starts at 1, never reused. */
  nextRowId(table: string): Promise<bigint>;
  search(query: RecordQuery): Promise<RecordRow[]>;
  count(): Promise<number>;
}

/** The part of the journal that records need. */
export interface RecordStores {
  readonly records: RecordStore;
  readonly intents: IntentStore;
}
