import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes, isPostgres } from "./portable-schema.ts";

/** Sessions have an identifier on chain. Those of before belong to a contract without one: they end. */
export const sessionIdentifiers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const empty = isPostgres(db) ? sql`'\\x'::bytea` : sql`x''`;
    await db.schema
      .alterTable("sessions")
      .addColumn("session_id", columnTypes(db).bytes, (c) => c.notNull().defaultTo(empty))
      .execute();
    await sql`update sessions set state = 'ended'`.execute(db);
  },
};
