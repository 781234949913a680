import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { RecordQuery, RecordRow } from "./record.ts";

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
