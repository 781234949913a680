import { type Dialect, Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { initial } from "./migrations/0001-initial.ts";
import type { Schema } from "./schema.ts";

/** Numbered, forward only; a name once released never changes. */
const MIGRATIONS = { "0001-tables": initial };

export type Database = Kysely<Schema>;

/** Opens the database and brings its schema up to date. */
export async function openDatabase(dialect: Dialect): Promise<Database> {
  const database = new Kysely<Schema>({ dialect });
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await database.destroy();
    throw error;
  }
  return database;
}

/** Stores whose writes can share a commit. */
export type Atomic<Stores> = Stores & {
  /**
   * Commits all writes inside `work`, or none.
   * @returns the result of `work`, once it is on disk
   */
  atomically<T>(work: (stores: Atomic<Stores>) => Promise<T>): Promise<T>;
};
