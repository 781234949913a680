import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes, isPostgres } from "../portable-schema.ts";

/** Comparisons of what came back after a disaster with what was recorded. */
export const recovery: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("recovery_verifications")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("as_of", "bigint")
      .addColumn("newest_entry", "bigint", (c) => c.notNull())
      .addColumn("started_at", "bigint", (c) => c.notNull())
      .addColumn("finished_at", "bigint")
      .addColumn("documents", "bigint", (c) => c.notNull())
      .addColumn("matches", "bigint", (c) => c.notNull())
      .addColumn("mismatches", "bigint", (c) => c.notNull())
      .addColumn("unrecorded", "bigint", (c) => c.notNull())
      .addColumn("rows_root", types.bytes)
      .execute();
    await db.schema
      .createIndex("recovery_verifications_by_time")
      .on("recovery_verifications")
      .column("finished_at")
      .execute();

    await db.schema
      .createTable("recovery_documents")
      .addColumn("verification_id", "text", (c) => c.notNull())
      .addColumn("document", types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint("recovery_documents_by_verification", ["verification_id", "document"])
      .modifyEnd(isPostgres(db) ? sql`` : sql`without rowid`)
      .execute();
  },
};
