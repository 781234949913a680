/** A row of the local copy of the event table. */
export interface RecordRow {
  /** Place in the order of the chain's log; grows with every row written. */
  readonly position: number;
  readonly rowId: bigint;
  readonly sender: string;
  readonly code: string;
  readonly topic: string;
  /** HTTP date, as stored. */
  readonly createdAt: string;
  /** base64 of the payload's JSON, as stored. */
  readonly payload: string;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** A row found in the chain's log, about to enter the copy. */
export type NewRecordRow = Omit<RecordRow, "position">;

/** Which field a search compares. */
export type SearchField = "code" | "topic";

/** A search of the copy, newest first. */
export interface RecordQuery {
  readonly field: SearchField;
  readonly pattern: SearchPattern;
  readonly limit: number;
  /** Only rows with a smaller position. */
  readonly before?: number;
}

/** What a field's value has to be: the literal pieces between the stars. One piece means equality. */
export type SearchPattern = readonly [string, ...string[]];
