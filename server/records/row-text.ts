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
  const { payload: _, ...text } = decodeRowData(unpackRowData(stored, bzip2));
  return text;
}
