import { type Selectable, sql } from "kysely";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { SealbookError } from "../errors.ts";
import type { RecordRow, RecordReader } from "./record.ts";
import { scanRecords } from "./record-scan.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecordsTable } from "../journal/engine/schema.ts";

export function recordReader(database: Database): RecordReader {
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
}

/**
 * Row ids that another writer takes raise the counter up to this distance; the ranges of those further ahead are kept
 * apart, so that no writer can use the ids up: each row uses at most this many.
 */
const NEAR = 1_000_000;

/**
 * Records the table that the server stores its records in; checks that it is that of before.
 * @throws SealbookError `conflict`
 */
export async function assertSameTable(database: Database, table: string): Promise<void> {
  const other = await database.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("row_counters")
      .values({ table_name: table, last_row_id: 0 })
      .onConflict((conflict) => conflict.column("table_name").doNothing())
      .execute();
    return transaction
      .selectFrom("row_counters")
      .select("table_name")
      .where("table_name", "!=", table)
      .executeTakeFirst();
  });
  if (other === undefined) return;
  throw new SealbookError(
    "conflict",
    `the records of this server are in table ${JSON.stringify(other.table_name)}, but TABLE_NAME is ` +
      `${JSON.stringify(table)}: set it back, or use a DATA_DIR and a DATABASE_URL of its own for the other table`,
  );
}

/** Assigns the next row id of a table: the first free one after the last assigned one. */
export async function nextRowId(database: Database, table: string): Promise<bigint> {
  const { last_row_id: next } = await database
    .insertInto("row_counters")
    .values({ table_name: table, last_row_id: 1 })
    .onConflict((conflict) =>
      conflict.column("table_name").doUpdateSet({ last_row_id: sql`row_counters.last_row_id + 1` }),
    )
    .returning("last_row_id")
    .executeTakeFirstOrThrow();
  const taken = await rangeBefore(database, table, next);
  if (taken === undefined || taken.last_row_id < next) return BigInt(next);
  // No range begins right after another one, so that one step is enough, however many rows there are.
  const free = taken.last_row_id + 1;
  await raiseCounter(database, table, free);
  return BigInt(free);
}

/** Keeps row ids on chain from being assigned. */
export async function takeRowId(database: Database, table: string, rowId: bigint): Promise<void> {
  // The counter never gets there.
  if (rowId >= BigInt(Number.MAX_SAFE_INTEGER) || rowId < 1n) return;
  const taken = Number(rowId);
  const counter = await database
    .selectFrom("row_counters")
    .select("last_row_id")
    .where("table_name", "=", table)
    .executeTakeFirst();
  const last = counter?.last_row_id ?? 0;
  if (taken <= last) return;
  if (taken - last <= NEAR) await raiseCounter(database, table, taken);
  else await addDistant(database, table, taken);
}

async function raiseCounter(database: Database, table: string, rowId: number): Promise<void> {
  await database
    .insertInto("row_counters")
    .values({ table_name: table, last_row_id: rowId })
    .onConflict((conflict) =>
      conflict
        .column("table_name")
        .doUpdateSet({ last_row_id: rowId })
        .where(sql.ref("row_counters.last_row_id"), "<", rowId),
    )
    .execute();
}

/** Adds a row id to the ranges; merges it with the adjacent ones. */
async function addDistant(database: Database, table: string, rowId: number): Promise<void> {
  const before = await rangeBefore(database, table, rowId);
  if (before !== undefined && before.last_row_id >= rowId) return;
  const after = await database
    .selectFrom("distant_rows")
    .select("last_row_id")
    .where("table_name", "=", table)
    .where("first_row_id", "=", rowId + 1)
    .executeTakeFirst();
  const last = after?.last_row_id ?? rowId;
  if (after !== undefined)
    await database
      .deleteFrom("distant_rows")
      .where("table_name", "=", table)
      .where("first_row_id", "=", rowId + 1)
      .execute();
  if (before?.last_row_id === rowId - 1)
    await database
      .updateTable("distant_rows")
      .set({ last_row_id: last })
      .where("table_name", "=", table)
      .where("first_row_id", "=", before.first_row_id)
      .execute();
  else
    await database
      .insertInto("distant_rows")
      .values({ table_name: table, first_row_id: rowId, last_row_id: last })
      .execute();
}

/** Returns the last range that begins at or before a row id. */
function rangeBefore(database: Database, table: string, rowId: number) {
  return database
    .selectFrom("distant_rows")
    .select(["first_row_id", "last_row_id"])
    .where("table_name", "=", table)
    .where("first_row_id", "<=", rowId)
    .orderBy("first_row_id", "desc")
    .limit(1)
    .executeTakeFirst();
}
