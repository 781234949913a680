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
    // Transactions are serialized: of two processes that start at once, the second one finds the tables.
    await database.transaction().execute(async (transaction) => {
      const version = await schemaVersion(transaction);
      if (version === SCHEMA_VERSION) return;
      if (version !== undefined)
        throw new Error(`its tables are of version ${version}, and this program has version ${SCHEMA_VERSION}`);
      await createTables(transaction);
    });
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

async function schemaVersion(database: Database): Promise<number | undefined> {
  const tables = isPostgres(database)
    ? sql`select 1 from pg_class where oid = to_regclass('schema_version')`
    : sql`select 1 from sqlite_schema where name = 'schema_version'`;
  if ((await tables.execute(database)).rows.length === 0) return undefined;
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(database);
  return rows[0]?.version ?? 0;
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
