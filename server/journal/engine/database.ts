import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dialect, Kysely, PostgresAdapter, type QueryExecutorProvider, sql } from "kysely";
import { ROOT } from "../../kit/program-files.ts";
import type { Schema } from "./schema.ts";

/** Version of the tables; another version of the program can have another one. */
const SCHEMA_VERSION = 1;

export type Database = Kysely<Schema>;

/** Opens the database, and creates its tables in an empty one. */
export async function openDatabase(dialect: Dialect): Promise<Database> {
  const database = new Kysely<Schema>({ dialect });
  try {
    if (await hasTables(database)) return database;
    // Transactions are serialized: of two processes that start at once, the second one finds the tables.
    await database.transaction().execute(async (transaction) => {
      if (!(await hasTables(transaction))) await createTables(transaction);
    });
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * Returns whether a database has the tables of this version.
 * @throws Error when it has those of another one
 */
async function hasTables(database: Database): Promise<boolean> {
  const names = isPostgres(database)
    ? sql<{ name: string }>`
        select relname as name from pg_class
        where oid in (to_regclass('schema_version'), to_regclass('entries'))`
    : sql<{ name: string }>`select name from sqlite_schema where name in ('schema_version', 'entries')`;
  const { rows } = await names.execute(database);
  if (rows.length === 0) return false;
  const isVersioned = rows.some(({ name }) => name === "schema_version");
  const versions = isVersioned
    ? await sql<{ version: number }>`select version from schema_version`.execute(database)
    : undefined;
  const version = versions?.rows[0]?.version ?? 0;
  if (version === SCHEMA_VERSION) return true;
  throw new Error(`its tables are of version ${version}, and this program has version ${SCHEMA_VERSION}`);
}

async function createTables(database: Database): Promise<void> {
  const file = isPostgres(database) ? "postgres.sql" : "sqlite.sql";
  const text = await readFile(join(ROOT, "server/journal/engine", file), "utf8");
  for (const statement of text.split(/;\r?\n/)) if (statement.trim() !== "") await sql.raw(statement).execute(database);
  await sql`insert into schema_version (version) values (${SCHEMA_VERSION})`.execute(database);
}

export function isPostgres(database: QueryExecutorProvider): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/** Stores whose writes can share a commit. */
export type Atomic<Stores> = Stores & {
  /**
   * Commits all writes inside `work`, or none.
   * @returns the result of `work`, once it is on disk
   */
  atomically<T>(work: (stores: Atomic<Stores>) => Promise<T>): Promise<T>;
};
