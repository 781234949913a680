import { type RawBuilder, sql, type SqlBool } from "kysely";
import { hex } from "../../kit/bytes.ts";
import { type Database, isPostgres } from "./database.ts";

/**
 * Lists in statements, as one parameter: a statement is the same for lists of any length, so that it is prepared once,
 * and the number of parameters does not limit them.
 */

/** Returns a query of the values; its column is `value`. */
export function listOf(
  database: Database,
  values: readonly number[] | readonly Uint8Array[],
): RawBuilder<{ value: number | Uint8Array }> {
  if (isBytes(values))
    return isPostgres(database)
      ? sql`select value from unnest(${values.map((value) => Buffer.from(value))}::bytea[]) as list(value)`
      : sql`select unhex(value) as value from json_each(${JSON.stringify(values.map(hex))})`;
  return isPostgres(database)
    ? sql`select value from unnest(${values}::bigint[]) as list(value)`
    : sql`select value from json_each(${JSON.stringify(values)})`;
}

/** Returns the condition that a column has one of the values. */
export function isAmong(
  database: Database,
  column: string,
  values: readonly number[] | readonly Uint8Array[],
): RawBuilder<SqlBool> {
  // PostgreSQL plans a comparison with an array in half the time of one with a query.
  if (isPostgres(database) && !isBytes(values)) return sql<SqlBool>`${sql.ref(column)} = any(${values}::bigint[])`;
  return sql<SqlBool>`${sql.ref(column)} in (${listOf(database, values)})`;
}

function isBytes(values: readonly number[] | readonly Uint8Array[]): values is readonly Uint8Array[] {
  return values[0] instanceof Uint8Array;
}
