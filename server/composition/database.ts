import { existsSync } from "node:fs";
import type { DatabaseConfig } from "../config/notations.ts";
import type { Database } from "../journal/engine/database.ts";
import { openSqlite } from "../journal/engine/sqlite.ts";
import type { StorageGuard } from "../journal/engine/storage-guard.ts";

/**
 * Opens the journal's database, of either engine, and brings its schema up to date.
 * @param guard Gets the files of the embedded engine
 * @throws SealbookError `config_invalid` when it cannot be used
 */
export async function openJournalDatabase(config: DatabaseConfig, guard?: StorageGuard): Promise<Database> {
  if (config.kind === "sqlite") return openSqlite(config.file, guard);
  const { openPostgres } = await import("../journal/engine/postgres.ts");
  return openPostgres(config.url);
}

/** Returns the path of the embedded database when it does not exist yet; the first start of the server creates it. */
export function missingFile(config: DatabaseConfig): string | undefined {
  return config.kind === "sqlite" && !existsSync(config.file) ? config.file : undefined;
}

/** Returns whether there is a journal; `true` when the database does not respond. */
export async function hasJournal(config: DatabaseConfig): Promise<boolean> {
  if (config.kind === "sqlite") return existsSync(config.file);
  const { hasTables } = await import("../journal/engine/postgres.ts");
  return hasTables(config.url).catch(() => true);
}
