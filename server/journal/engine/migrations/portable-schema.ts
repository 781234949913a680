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
