import { existsSync } from "node:fs";
import type { DatabaseConfig } from "../config/notations.ts";
import type { Database } from "../journal/engine/database.ts";
import { openSqlite } from "../journal/engine/sqlite.ts";

/**
 * Opens the journal's database, of either engine, and brings its schema up to date.
 * @throws SealbookError `config_invalid` when it cannot be used
 */
export async function openJournalDatabase(config: DatabaseConfig): Promise<Database> {
  if (config.kind === "sqlite") return openSqlite(config.file);
  const { openPostgres } = await import("../journal/engine/postgres.ts");
  return openPostgres(config.url);
}

/** Returns the path of the embedded database when it does not exist yet; the first start of the server creates it. */
export function missingFile(config: DatabaseConfig): string | undefined {
  return config.kind === "sqlite" && !existsSync(config.file) ? config.file : undefined;
}
