import { sql } from "kysely";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { RecordRow, RecordReader } from "./record.ts";
import { scanRecords } from "./record-scan.ts";
import { type Database, isPostgres } from "../journal/engine/database.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { assertRecordOf, type IndexRow } from "./record-code.ts";

/** Rows with longer ids are not counted: who writes far ahead does not use the numbers up. */
const MOST_DIGITS = 15;

/** Whether a row id is in the index of numbers. */
const hasNumber = (rowId: bigint): boolean => rowId.toString().length <= MOST_DIGITS;

/** Rows of one row id that are read: others than the first one are foreign. */
const MOST_WITH_ROW_ID = 16;

/**
 * @param key What no relayer has written by it is not returned
 * @param onDamage Called when the index has such a row
 */
export function recordReader(database: Database, key: JournalKey, onDamage?: (message: string) => void): RecordReader {
  const records = () => database.selectFrom("records").selectAll();
  // The index of numbers is used only for these expressions, with the literal.
  const number = sql<number>`cast(row_id as ${sql.raw(isPostgres(database) ? "bigint" : "integer")})`;
  const isShort = sql<boolean>`length(row_id) <= ${sql.lit(MOST_DIGITS)}`;
  const toRecordRow = (row: IndexRow): RecordRow => {
    assertRecordOf(key, row, onDamage);
    return {
      position: row.position,
      rowId: BigInt(row.row_id),
      sender: row.sender,
      code: row.code,
      topic: row.topic,
      createdAt: row.created_at,
      payload: row.payload,
      transactionHash: row.transaction_hash,
      blockNumber: row.block_number,
      overwrittenBy: row.overwritten_by ?? undefined,
    };
  };
  return {
    async highestRowId() {
      const row = await database
        .selectFrom("records")
        .select(number.as("number"))
        .where(isShort)
        .orderBy(number, "desc")
        .limit(1)
        .executeTakeFirst();
      return BigInt(row?.number ?? 0);
    },

    equalTo: ({ field, text, ...page }) => scanRecords(database, { field, pattern: [text], ...page }),

    async rows(positions) {
      if (positions.length === 0) return [];
      // A page can take many of these queries; other requests are served in between.
      await yieldToEventLoop();
      const rows = await records().where("position", "in", positions).orderBy("position", "desc").execute();
      return rows.map(toRecordRow);
    },

    async withRowId(rowId) {
      const rows = await records()
        .$if(hasNumber(rowId), (q) => q.where(isShort).where(number, "=", Number(rowId)))
        // Foreign rows can have longer ids, and make the server assign such ones: there is no index of them.
        .$if(!hasNumber(rowId), (q) => q.where("row_id", "=", rowId.toString()))
        // In the order of the primary key, an engine can prefer to read the whole table.
        .orderBy(sql`position + 0`)
        .limit(MOST_WITH_ROW_ID)
        .execute();
      return rows.map(toRecordRow);
    },

    async newest(limit, before) {
      const rows = await records()
        .$if(before !== undefined, (q) => q.where("position", "<", before ?? 0))
        .orderBy("position", "desc")
        .limit(limit)
        .execute();
      return rows.map(toRecordRow);
    },

    async count() {
      const { count } = await database
        .selectFrom("records")
        .select((e) => e.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
