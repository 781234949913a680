import { Kysely } from "kysely";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

/** Where a database is. */
export type DatabaseLocation =
  { readonly kind: "sqlite"; readonly file: string } | { readonly kind: "postgres"; readonly url: string };

/** Budget of a query on PostgreSQL, which ends it. */
const STATEMENT_MILLISECONDS = 10_000;

/**
 * Opens an existing database with one connection for queries only, for a thread beside the one that writes.
 * @throws SealbookError `journal_unavailable`
 */
export async function openForQueries(location: DatabaseLocation): Promise<Database> {
  return new Kysely<Schema>({ dialect: await dialectOf(location) });
}

async function dialectOf(location: DatabaseLocation) {
  if (location.kind === "sqlite") {
    const { sqliteQueryDialect } = await import("./sqlite.ts");
    return sqliteQueryDialect(location.file);
  }
  const { postgresQueryDialect } = await import("./postgres.ts");
  return postgresQueryDialect(location.url, STATEMENT_MILLISECONDS);
}
