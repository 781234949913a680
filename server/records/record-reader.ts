import { sql } from "kysely";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { RecordRow, RecordReader } from "./record.ts";
import { scanRecords } from "./record-scan.ts";
import { type Database, isPostgres } from "../journal/engine/database.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { assertRecordOf, type IndexRow } from "./record-code.ts";

/** Rows with longer ids are not counted: who writes far ahead does not use the numbers up. */
const MOST_DIGITS = 15;

/** Rows of one row id that are read: others than the first one are foreign. */
const MOST_WITH_ROW_ID = 16;

/**
 * @param key What no relayer has written by it is not returned
 * @param onDamage Called when the index has such a row
 */
export function recordReader(database: Database, key: JournalKey, onDamage?: (message: string) => void): RecordReader {
  const records = () => database.selectFrom("records").selectAll();
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
      const number = sql<number>`cast(row_id as ${sql.raw(isPostgres(database) ? "bigint" : "integer")})`;
      const row = await database
        .selectFrom("records")
        .select(number.as("number"))
        // A literal: the index is used only when the engine sees the value.
        .where(sql<boolean>`length(row_id) <= ${sql.lit(MOST_DIGITS)}`)
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
        .where("row_id", "=", rowId.toString())
        .orderBy("position")
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
