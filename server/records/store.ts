import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { RecordStore, RecordQuery } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import type { Schema } from "../journal/engine/schema.ts";

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
  if (prefix === "") return whole;
  // The range is redundant but lets the database use an index.
  const end = endOfPrefix(prefix);
  return e.and([e(field, ">=", prefix), ...(end === undefined ? [] : [e(field, "<", end)]), whole]);
}

const LAST_CODE_POINT = 0x10ffff;
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** Returns the first text, by code points, after all texts with a prefix; `undefined` if there is none. */
function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}
