import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import { SealbookError } from "../errors.ts";
import type { IndexProgressTable, RecordsTable } from "../journal/engine/schema.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { toPostgresText } from "../journal/engine/postgres-types.ts";
import { equalBytes, hex } from "../kit/bytes.ts";

/** A row of the record index. */
export type IndexRow = Selectable<RecordsTable>;

/** The state of the record index after a block. */
export interface IndexPosition {
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  /** The newest block when the index was begun. */
  readonly builtTo: number;
  /** Number of rows, which is the position of the newest one. */
  readonly rows: number;
  /** Over the digests of all rows in their order. */
  readonly digest: Uint8Array;
  /** Number of rows that others were written over. */
  readonly marked: number;
}

/** Advances the digest of the index by a row. */
export function digestAfter(digest: Uint8Array, row: Pick<IndexRow, "digest">): Uint8Array {
  return createHash("sha256").update(digest).update(row.digest).digest();
}

/** Computes the authentication code of a row, by the journal's key. */
export function codeOfRecord(key: JournalKey, row: Omit<IndexRow, "code_of_row">): Uint8Array {
  const { position, row_id, digest, sender, code, topic, created_at, payload, block_number } = row;
  // As every engine stores them.
  const texts = [row_id, sender, code, topic, created_at, payload].map(toPostgresText);
  const overwrittenBy = row.overwritten_by === null ? null : hex(row.overwritten_by);
  const facts = [position, hex(digest), ...texts, hex(row.transaction_hash), block_number, overwrittenBy];
  return key.codeOfFacts("record", facts);
}

/** Returns whether a relayer has written a row as it is. */
export function isRecordOf(key: JournalKey, row: IndexRow): boolean {
  return isOf(row.code_of_row, () => codeOfRecord(key, row));
}

/** An embedded database can have values of any type in a column. */
function isOf(code: Uint8Array | null, expected: () => Uint8Array): boolean {
  try {
    return equalBytes(code, expected());
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/**
 * Asserts that a relayer has written a row as it is.
 * @throws SealbookError `journal_damaged`
 */
export function assertRecordOf(key: JournalKey, row: IndexRow, onDamage?: (message: string) => void): void {
  if (isRecordOf(key, row)) return;
  const message =
    `row ${row.position} of the record index was not written by a relayer, or was changed: the next complete check ` +
    "has the index built again from the chain, as `npx sealbook resync` does";
  onDamage?.(message);
  throw new SealbookError("journal_damaged", message);
}

/** Computes the authentication code of the position of a table's index. */
export function codeOfPosition(key: JournalKey, table: string, position: IndexPosition): Uint8Array {
  const { blockNumber, blockHash, builtTo, rows, digest, marked } = position;
  const facts = [table, blockNumber, hex(blockHash), builtTo, rows, hex(digest), marked];
  return key.codeOfFacts("record index", facts);
}

/** Returns the position that a row has; `undefined` when no relayer has written it for this table. */
export function positionOf(
  key: JournalKey,
  table: string,
  row: Selectable<IndexProgressTable> | undefined,
): IndexPosition | undefined {
  if (row === undefined || row.block_number === null || row.block_hash === null || row.built_to === null)
    return undefined;
  const { block_number: blockNumber, block_hash: blockHash, built_to: builtTo } = row;
  const { rows, digest, marked } = row;
  const position = { blockNumber, blockHash, builtTo, rows, digest, marked };
  return isOf(row.code, () => codeOfPosition(key, table, position)) ? position : undefined;
}
