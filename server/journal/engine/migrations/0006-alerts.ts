import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes } from "../portable-schema.ts";

/** Alerts, and which of them receivers were told of. */
export const alerts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("alerts")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("kind", "text", (c) => c.notNull())
      .addColumn("subject", "text", (c) => c.notNull())
      .addColumn("message", "text", (c) => c.notNull())
      .addColumn("raised_at", "bigint", (c) => c.notNull())
      .addColumn("resolved_at", "bigint")
      .addColumn("change_number", "bigint", (c) => c.notNull())
      .execute();
    // One of a kind and subject at a time.
    await db.schema
      .createIndex("alerts_open")
      .unique()
      .on("alerts")
      .columns(["kind", "subject"])
      .where(sql.ref("resolved_at"), "is", null)
      .execute();
    await db.schema.createIndex("alerts_by_change").on("alerts").column("change_number").execute();
    await db.schema
      .createTable("alert_receivers")
      .addColumn("receiver", "text", (c) => c.primaryKey())
      .addColumn("change_number", "bigint", (c) => c.notNull())
      .execute();
  },
};
