import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { RecordQuery, ScanStep, SearchField, SearchPattern } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import { toPostgresText } from "../journal/engine/postgres-types.ts";
import { isPostgres } from "../journal/engine/database.ts";
import type { Schema } from "../journal/engine/schema.ts";

/** Rows that a step reads: a few milliseconds, also for the most expensive pattern. */
const ROWS_PER_STEP = 2_000;
/** With fewer rows of a prefix, the index is faster than reading all rows in order. */
const FEW = 2_000;

/**
 * Takes one step of a search: of the rows before a position, or all rows that an index finds. Its cost has a bound that
 * depends neither on the pattern nor on the number of rows.
 */
export async function scanRecords(database: Database, query: RecordQuery): Promise<ScanStep> {
  const stored = isPostgres(database) ? toPostgresText : (text: string): string => text;
  const [first, ...others] = query.pattern;
  const pattern: SearchPattern = [stored(first), ...others.map(stored)];
  const known = { ...query, pattern };
  if (pattern.length === 1) return equalTo(database, known);
  return (await fewWithPrefix(database, known)) ?? nextRows(database, known);
}

/** Finds equal texts, which the index has in this order. */
async function equalTo(database: Database, { field, pattern: [text], limit, before }: RecordQuery): Promise<ScanStep> {
  const rows = await database
    .selectFrom("records")
    .select("position")
    .where(field, "=", text)
    .$if(before !== undefined, (q) => q.where("position", "<", before ?? 0))
    .orderBy("position", "desc")
    .limit(limit + 1)
    .execute();
  return stepOf(
    rows.map(({ position }) => position),
    limit,
    undefined,
  );
}

/** Finds matches among the rows with the prefix of the pattern; `undefined` when they are not few. */
async function fewWithPrefix(
  database: Database,
  { field, pattern, limit, before = Infinity }: RecordQuery,
): Promise<ScanStep | undefined> {
  const [prefix] = pattern;
  if (prefix === "") return undefined;
  const rows = await database
    .selectFrom("records")
    .select(["position", field])
    .where((e) => hasPrefix(e, field, prefix))
    .limit(FEW)
    .execute();
  if (rows.length === FEW) return undefined;
  const found = rows.filter((row) => row.position < before && contains(row[field], pattern));
  const positions = found.map(({ position }) => position).toSorted((one, other) => other - one);
  return stepOf(positions, limit, undefined);
}

/** Finds matches among the next rows in order. */
async function nextRows(database: Database, { field, pattern, limit, before }: RecordQuery): Promise<ScanStep> {
  const end = Math.min(before ?? Infinity, (await lastPosition(database)) + 1);
  const start = end - ROWS_PER_STEP;
  const longest = pattern.reduce((long, piece) => (piece.length > long.length ? piece : long));
  // All matching rows have the longest piece. LIKE can take a time that grows exponentially with the wildcards.
  const find = sql.raw(isPostgres(database) ? "strpos" : "instr");
  const rows = await database
    .selectFrom("records")
    .select(["position", field])
    .where("position", "<", end)
    .where("position", ">=", start)
    .$if(longest !== "", (q) => q.where(sql<SqlBool>`${find}(${sql.ref(field)}, ${longest}) > 0`))
    .orderBy("position", "desc")
    .execute();
  const found = rows.filter((row) => contains(row[field], pattern));
  return stepOf(
    found.map(({ position }) => position),
    limit,
    start > 1 ? start : undefined,
  );
}

async function lastPosition(database: Database): Promise<number> {
  const { last } = await database
    .selectFrom("records")
    .select((e) => e.fn.max("position").as("last"))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** @param rest Where the search goes on after these positions */
function stepOf(positions: readonly number[], limit: number, rest: number | undefined): ScanStep {
  const kept = positions.slice(0, limit);
  return { positions: kept, next: positions.length > limit ? kept.at(-1) : rest };
}

/** The text begins with a prefix; the range lets the database use an index. */
function hasPrefix(e: ExpressionBuilder<Schema, "records">, field: SearchField, prefix: string) {
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
