import {
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type Kysely,
  PostgresAdapter,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from "kysely";

type ColumnType = ColumnDataType | RawBuilder<unknown>;

/** Column types whose names differ between engines. */
interface ColumnTypes {
  readonly bytes: ColumnType;
  /** Text that is compared by range: in the order of code points, independent of the database's locale. */
  readonly orderedText: ColumnType;
  /** A row number, assigned in ascending order. */
  readonly rowNumber: ColumnType;
  /** Makes a column of row numbers the primary key. */
  readonly numbered: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

const SQLITE: ColumnTypes = {
  bytes: "blob",
  orderedText: "text",
  rowNumber: "integer",
  numbered: (column) => column.primaryKey().autoIncrement(),
};

const POSTGRES: ColumnTypes = {
  bytes: "bytea",
  orderedText: sql`text collate "C"`,
  rowNumber: "bigint",
  numbered: (column) => column.generatedByDefaultAsIdentity().primaryKey(),
};

/** Returns the column types of the engine that a migration runs on. */
export function columnTypes(db: Kysely<unknown>): ColumnTypes {
  return isPostgres(db) ? POSTGRES : SQLITE;
}

/**
 * Continues the numbering after rows that were inserted with explicit numbers; the embedded engine does so by itself.
 */
export async function continueNumbers(db: QueryExecutorProvider, table: string, column: string): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    select setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${sql.ref(column)}), 0) + 1, false)
    from ${sql.table(table)}`.execute(db);
}

export function isPostgres(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

const REFUSAL = "the journal is append-only";

/** Makes the database reject updates and deletions of a table's rows, for every user. */
export async function refuseChanges(db: Kysely<unknown>, table: string): Promise<void> {
  await refuse(db, table, "update");
  await refuse(db, table, "delete");
}

/** Makes the database reject updates of some columns of a table, and deletions of its rows. */
export async function refuseChangesOf(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  await refuse(db, table, "update", columns);
  await refuse(db, table, "delete");
}

async function makeRefusal(db: QueryExecutorProvider): Promise<void> {
  const body = sql.lit(`begin raise exception '${REFUSAL}'; end`);
  await sql`create or replace function refuse_change() returns trigger language plpgsql as ${body}`.execute(db);
}

async function refuseTruncate(db: QueryExecutorProvider, table: string): Promise<void> {
  const trigger = sql.ref(`${table}_no_truncate`);
  const statement = sql`
    create trigger ${trigger} before truncate on ${sql.table(table)}
    for each statement execute function refuse_change()`;
  await statement.execute(db);
}

async function refuse(
  db: Kysely<unknown>,
  table: string,
  event: "update" | "delete",
  columns: readonly string[] = [],
): Promise<void> {
  const name = sql.ref(`${table}_no_${event}`);
  const of = columns.length === 0 ? sql`` : sql` of ${sql.join(columns.map((column) => sql.ref(column)))}`;
  const what = sql`before ${sql.raw(event)}${of} on ${sql.table(table)}`;
  if (isPostgres(db)) {
    await makeRefusal(db);
    await sql`create trigger ${name} ${what} for each row execute function refuse_change()`.execute(db);
    if (event === "delete") await refuseTruncate(db, table);
    // Also denies the owner of the table, until it grants itself the privilege again.
    if (columns.length === 0)
      await sql`revoke ${sql.raw(event)} on ${sql.table(table)} from public, current_user`.execute(db);
  } else {
    await sql`create trigger ${name} ${what} begin select raise(abort, ${sql.lit(REFUSAL)}); end`.execute(db);
  }
}
