import type { Selectable } from "kysely";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { nextRowId } from "./row-ids.ts";
import type { RecordRow, RecordStore } from "./record.ts";
import { scanRecords } from "./record-scan.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecordsTable } from "../journal/engine/schema.ts";

export function recordStore(database: Database): RecordStore {
  return {
    nextRowId: (table) => nextRowId(database, table),

    equalTo: ({ field, text, ...page }) => scanRecords(database, { field, pattern: [text], ...page }),

    async rows(positions) {
      if (positions.length === 0) return [];
      // A page can take many of these queries; other requests are served in between.
      await yieldToEventLoop();
      const rows = await database
        .selectFrom("records")
        .selectAll()
        .where("position", "in", positions)
        .orderBy("position", "desc")
        .execute();
      return rows.map(toRecordRow);
    },

    async newest(limit, before) {
      const rows = await database
        .selectFrom("records")
        .selectAll()
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

type RecordsRow = Omit<Selectable<RecordsTable>, "digest">;

function toRecordRow(row: RecordsRow): RecordRow {
  return {
    position: row.position,
    table: row.table_id,
    rowId: BigInt(row.row_id),
    sender: row.sender,
    code: row.code,
    topic: row.topic,
    createdAt: row.created_at,
    payload: row.payload,
    transactionHash: row.transaction_hash,
    blockNumber: row.block_number,
    overwrittenBy: row.overwritten_by ?? undefined,
    replays: row.replays,
    replayedBy: row.replayed_by ?? undefined,
  };
}
