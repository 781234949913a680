import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Database } from "../journal/engine/database.ts";
import { openSqlite } from "../journal/engine/sqlite.ts";

/**
 * Opens the journal's database, whichever engine it is on, and brings its schema up to date.
 * @throws SealbookError `config_invalid` when it cannot be used
 */
export async function openJournalDatabase({ database }: Pick<Config, "database">): Promise<Database> {
  if (database.kind === "sqlite") return openSqlite(database.file);
  const { openPostgres } = await import("../journal/engine/postgres.ts");
  return openPostgres(database.url);
}

/** The path of the embedded database that is still to be made by the first start; there is nothing in it yet. */
export function missingFile({ database }: Pick<Config, "database">): string | undefined {
  return database.kind === "sqlite" && !existsSync(database.file) ? database.file : undefined;
}
