import type { StoreEntries } from "./store-entries.ts";

/** A row of the record index: one for each signed row, however often it is written. */
export interface RecordRow extends RecordMarks {
  /** Position in the order of the chain's log; increases with every new row. */
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

/** Changes of a row on chain after its first write. */
export interface RecordMarks {
  /** The transaction that wrote another row over it; `undefined` while it is the current one of its number. */
  readonly overwrittenBy: Uint8Array | undefined;
}

/** The content of a record as its row data have it. */
export type RecordContent = Pick<RecordRow, "sender" | "code" | "topic" | "createdAt" | "payload">;

/** The field that a search compares. */
export type SearchField = "code" | "topic";

/** A part of the index, newest first. */
interface RecordPage {
  readonly limit: number;
  /** Only rows with a smaller position. */
  readonly before?: number | undefined;
}

/** A query of the index. */
export interface RecordQuery extends RecordPage {
  readonly field: SearchField;
  readonly pattern: SearchPattern;
}

/** The result of one step of a search. */
export interface ScanStep {
  /** Positions of matching rows, newest first. */
  readonly positions: readonly number[];
  /** The `before` of the next step; `undefined` when there are no more rows. */
  readonly next: number | undefined;
}

/** The literal pieces between the wildcards. A single piece means equality. */
export type SearchPattern = readonly [string, ...string[]];

/**
 * The record index, as searches, the bot and statistics read it. A row that is not as a relayer has written it throws
 * SealbookError `journal_damaged`.
 */
export interface RecordReader {
  /** Returns the highest row id that is not far beyond those that this server assigns; 0 without rows. */
  highestRowId(): Promise<bigint>;
  /** Finds rows with exactly this text, by an index. */
  equalTo(query: RecordPage & { readonly field: SearchField; readonly text: string }): Promise<ScanStep>;
  /** Reads rows by their positions, newest first. */
  rows(positions: readonly number[]): Promise<RecordRow[]>;
  /** Returns the rows that were written under a row id: with the current one those that it was written over. */
  withRowId(rowId: bigint): Promise<RecordRow[]>;
  newest(limit: number, before?: number): Promise<RecordRow[]>;
  count(): Promise<number>;
}

/** The journal stores of records. */
export interface RecordStores {
  readonly records: RecordReader;
  readonly stores: StoreEntries;
}

/**
 * Parses a key phrase: `*` matches any characters, `\*` a star. Every other character, including a lone backslash,
 * matches itself.
 */
export function parseSearchPattern(phrase: string): SearchPattern {
  let piece = "";
  const pieces: string[] = [];
  for (let index = 0; index < phrase.length; index += 1) {
    const character = phrase.charAt(index);
    if (character === "\\" && phrase.charAt(index + 1) === "*") {
      piece += "*";
      index += 1;
    } else if (character === "*") {
      pieces.push(piece);
      piece = "";
    } else {
      piece += character;
    }
  }
  const [first, ...rest] = [...pieces, piece];
  return [first ?? "", ...rest];
}
