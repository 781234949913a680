import { bzip2 } from "./bzip2.ts";
import { type StoredRowData, unpackRowData } from "./compression.ts";
import { decodeRowData, type Row } from "./row-data.ts";

/** The segments of a row as text. */
export type RowText = Omit<Row, "payload">;

/**
 * Decompresses and checks a row of this service or another.
 * @throws SealbookError `malformed`
 */
export function rowText(stored: StoredRowData): RowText {
  return segmentsOf(unpackRowData(stored, bzip2));
}

/**
 * Divides and checks the text of a row.
 * @throws SealbookError `malformed`
 */
export function segmentsOf(row: string): RowText {
  const { payload: _, ...text } = decodeRowData(row);
  return text;
}
