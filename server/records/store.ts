import { setImmediate } from "node:timers/promises";
import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { nextRowId } from "./row-ids.ts";
import type { RecordQuery, RecordRow, RecordStore, SearchPattern } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import { toPostgresText } from "../journal/engine/postgres-types.ts";
import { isPostgres } from "../journal/engine/migrations/portable-schema.ts";
import type { RecordsTable, Schema } from "../journal/engine/schema.ts";

export function recordStore(database: Database): RecordStore {
  return {
    nextRowId: (table) => nextRowId(database, table),

    async search(query) {
      const { limit, before = Infinity } = query;
      const [first, ...others] = query.pattern;
      const stored = isPostgres(database) ? toPostgresText : (text: string): string => text;
      const pattern: SearchPattern = [stored(first), ...others.map(stored)];
      const rows = database.selectFrom("records").selectAll().orderBy("position", "desc");
      if (pattern.length === 1) {
        // The index has the rows in this order.
        const equal = rows
          .where((e) => hasPrefix(e, query))
          .$if(before !== Infinity, (q) => q.where("position", "<", before));
        return (await equal.limit(limit).execute()).map(toRecordRow);
      }
      const matches = candidates(database, query);
      if (await hasFewCandidates(database, query)) {
        const found = await rows.where(matches).execute();
        return found
          .filter((row) => row.position < before && contains(row[query.field], pattern))
          .slice(0, limit)
          .map(toRecordRow);
      }
      const last = await database
        .selectFrom("records")
        .select("position")
        .orderBy("position", "desc")
        .executeTakeFirst();
      const found: RecordRow[] = [];
      let end = Math.min(before, (last?.position ?? 0) + 1);
      while (end > 1 && found.length < limit) {
        const step = rows.where("position", "<", end).where("position", ">=", end - ROWS_PER_STEP);
        // Each step takes a few milliseconds; other requests are served in between.
        await setImmediate();
        const some = await step.where(matches).execute();
        found.push(...some.filter((row) => contains(row[query.field], pattern)).map(toRecordRow));
        end -= ROWS_PER_STEP;
      }
      return found.slice(0, limit);
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

/** Rows that a step of a search reads. */
const ROWS_PER_STEP = 2_000;
/** With fewer rows of a prefix, the index is faster than reading all rows in order. */
const FEW = 2_000;

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

/** Whether the index finds few rows with the prefix of the pattern. */
async function hasFewCandidates(database: Database, query: RecordQuery): Promise<boolean> {
  const [prefix] = query.pattern;
  if (prefix === "") return false;
  const some = await database
    .selectFrom("records")
    .select(sql<number>`1`.as("one"))
    .where((e) => hasPrefix(e, query))
    .limit(FEW)
    .execute();
  return some.length < FEW;
}

/**
 * A condition that all matching rows meet, and whose cost is linear in the length of the text: the whole text, or its
 * prefix and its longest piece. LIKE can take a time that grows exponentially with the number of wildcards.
 */
function candidates(database: Database, query: RecordQuery) {
  const { field, pattern } = query;
  const longest = pattern.reduce((long, piece) => (piece.length > long.length ? piece : long));
  const find = sql.raw(isPostgres(database) ? "strpos" : "instr");
  const contains = sql<SqlBool>`${find}(${sql.ref(field)}, ${longest}) > 0`;
  return (e: ExpressionBuilder<Schema, "records">) =>
    e.and([hasPrefix(e, query), ...(longest === "" ? [] : [contains])]);
}

/** The text begins with the first piece; the range lets the database use an index. */
function hasPrefix(e: ExpressionBuilder<Schema, "records">, { field, pattern: [prefix, ...rest] }: RecordQuery) {
  if (rest.length === 0) return e(field, "=", prefix);
  const end = endOfPrefix(prefix);
  return e.and([e(field, ">=", prefix), ...(end === undefined ? [] : [e(field, "<", end)])]);
}

/** Whether a text has the pieces in their order: the first at its beginning, the last at its end. */
function contains(text: string, [first, ...rest]: SearchPattern): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, from);
    if (found === -1) return false;
    from = found + piece.length;
  }
  return text.length - from >= last.length && text.endsWith(last);
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
