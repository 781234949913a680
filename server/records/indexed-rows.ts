import type { Address } from "../chain/transaction.ts";
import type { Database } from "../journal/engine/database.ts";
import { isAmong } from "../journal/engine/lists.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { hex } from "../kit/bytes.ts";
import type { RecordContent } from "./record.ts";
import { codeOfRecord, digestAfter, type IndexPosition, type IndexRow, isRecordOf } from "./record-code.ts";

/** A row of the server's table as the contract wrote it. */
export interface RowWrite {
  readonly rowId: bigint;
  /** Digest of row data and signature. */
  readonly digest: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The event of a row. */
export interface RowEntry {
  readonly kind: "row";
  readonly write: RowWrite;
  /** `undefined` when the write is no record. */
  readonly row: RecordContent | undefined;
}

/** The end of the index, which a new row continues. */
export type IndexEnd = Pick<IndexPosition, "rows" | "digest" | "marked">;

export const NO_ROWS: IndexEnd = { rows: 0, digest: new Uint8Array(32), marked: 0 };

/** A record that a transaction of the journal has written. */
export interface OwnRow {
  readonly rowId: bigint;
  readonly account: Address;
}

/**
 * The writes after the first build of the index, by transactions of the journal and by others: a restored journal does
 * not have the transactions of before.
 */
export interface Written {
  readonly own: readonly OwnRow[];
  readonly foreign: readonly RowWrite[];
}

/**
 * Adds a write on chain; its cost does not depend on how often a row is written.
 * @returns the end of the index after it
 */
export async function addWrite(
  database: Database,
  key: JournalKey,
  end: IndexEnd,
  { write, row }: RowEntry,
): Promise<IndexEnd> {
  const { rowId, digest, transactionHash, blockNumber } = write;
  const rows = database.selectFrom("records").selectAll();
  // The current record of the number, when another row is written over it.
  const current = await rows
    .where("row_id", "=", rowId.toString())
    .where("overwritten_by", "is", null)
    .where("digest", "!=", digest)
    .executeTakeFirst();
  if (current !== undefined) await mark(database, key, current, transactionHash);
  const marked = end.marked + (current === undefined ? 0 : 1);
  if (row === undefined) return { ...end, marked };
  const known = await rows.where("digest", "=", digest).executeTakeFirst();
  // Written once more, it is the current row again.
  if (known !== undefined) {
    if (known.overwritten_by === null) return { ...end, marked };
    await mark(database, key, known, null);
    return { ...end, marked: marked - 1 };
  }
  const { sender, code, topic, createdAt, payload } = row;
  const added = {
    ...{ position: end.rows + 1, row_id: rowId.toString(), digest, sender, code, topic, created_at: createdAt },
    ...{ payload, transaction_hash: transactionHash, block_number: blockNumber, overwritten_by: null },
  };
  await database
    .insertInto("records")
    .values({ ...added, code_of_row: codeOfRecord(key, added) })
    .execute();
  return { rows: added.position, digest: digestAfter(end.digest, added), marked };
}

/** Changes the mark of a row. One that no relayer has written stays one. */
async function mark(
  database: Database,
  key: JournalKey,
  row: IndexRow,
  overwrittenBy: Uint8Array | null,
): Promise<void> {
  const marked = { ...row, overwritten_by: overwrittenBy };
  const code = isRecordOf(key, row) ? codeOfRecord(key, marked) : row.code_of_row;
  await database
    .updateTable("records")
    .set({ overwritten_by: overwrittenBy, code_of_row: code })
    .where("position", "=", row.position)
    .execute();
}

/** Tells the writes by transactions of the journal from those by others. */
export async function byWriter(database: Database, rows: readonly RowEntry[]): Promise<Written> {
  if (rows.length === 0) return { own: [], foreign: [] };
  const hashes = rows.map(({ write }) => write.transactionHash);
  const own = await database
    .selectFrom("transactions")
    .select("hash")
    .where(isAmong(database, "hash", hashes))
    .unionAll(
      database
        .selectFrom("transaction_versions")
        .select("hash")
        .where(isAmong(database, "hash", hashes)),
    )
    .execute();
  const known = new Set(own.map(({ hash }) => hex(hash ?? new Uint8Array())));
  const isOwn = ({ write }: RowEntry): boolean => known.has(hex(write.transactionHash));
  return {
    own: rows.flatMap((entry) =>
      entry.row === undefined || !isOwn(entry) ? [] : [{ rowId: entry.write.rowId, account: entry.row.sender }],
    ),
    foreign: rows.flatMap((entry) => (isOwn(entry) ? [] : [entry.write])),
  };
}
