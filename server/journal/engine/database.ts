import { type Dialect, Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { initial } from "./migrations/0001-initial.ts";
import { batches } from "./migrations/0002-batches.ts";
import { journal } from "./migrations/0003-journal.ts";
import { recovery } from "./migrations/0004-recovery.ts";
import { apiKeys } from "./migrations/0005-api-keys.ts";
import { alerts } from "./migrations/0006-alerts.ts";
import { chats } from "./migrations/0007-chats.ts";
import type { Schema } from "./schema.ts";

/** Numbered, forward only; a name once released never changes. */
const MIGRATIONS = {
  "0001-initial": initial,
  "0002-batches": batches,
  "0003-journal": journal,
  "0004-recovery": recovery,
  "0005-api-keys": apiKeys,
  "0006-alerts": alerts,
  "0007-chats": chats,
};

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
