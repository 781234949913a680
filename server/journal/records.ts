import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { RecordStore } from "../domain/ports.ts";
import type { RecordQuery } from "../domain/records/record.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

export function recordStore(database: Database): RecordStore {
  return {
    async nextRowId(table) {
      const { last_row_id } = await database
        .insertInto("row_counters")
        .values({ table_name: table, last_row_id: 1 })
        .onConflict((conflict) =>
          conflict.column("table_name").doUpdateSet({ last_row_id: sql`row_counters.last_row_id + 1` }),
        )
        .returning("last_row_id")
        .executeTakeFirstOrThrow();
      return BigInt(last_row_id);
    },

    async search(query) {
      let select = database
        .selectFrom("records")
        .selectAll()
        .where((e) => matches(e, query))
        .orderBy("position", "desc")
        .limit(query.limit);
      if (query.before !== undefined) select = select.where("position", "<", query.before);
      const rows = await select.execute();
      return rows.map((row) => ({
        position: row.position,
        rowId: BigInt(row.row_id),
        sender: row.sender,
        code: row.code,
        topic: row.topic,
        createdAt: row.created_at,
        payload: row.payload,
        transactionHash: row.transaction_hash,
        blockNumber: row.block_number,
      }));
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

function matches(e: ExpressionBuilder<Schema, "records">, { field, pattern }: RecordQuery) {
  const [prefix, ...rest] = pattern;
  if (rest.length === 0) return e(field, "=", prefix);
  const like = pattern.map((piece) => piece.replace(/[\\%_]/gu, (character) => `\\${character}`)).join("%");
  const whole = sql<SqlBool>`${sql.ref(field)} like ${like} escape '\\'`;
  // The range says nothing new, but an index can answer it.
  return prefix === ""
    ? whole
    : e.and([e(field, ">=", prefix), e(field, "<", `${prefix}\u{10FFFF}`), whole]);
}
