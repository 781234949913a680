import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes } from "../portable-schema.ts";

/** The first schema. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("accounts")
      .addColumn("address", "text", (c) => c.primaryKey())
      .addColumn("keystore", "text", (c) => c.notNull())
      .addColumn("scope", "text", (c) => c.notNull().check(sql`scope in ('full', 'read')`))
      .addColumn("enrolled", "integer", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("revoked_at", "bigint")
      .execute();

    await db.schema
      .createTable("sessions")
      .addColumn("token_hash", types.bytes, (c) => c.primaryKey())
      .addColumn("account", "text", (c) => c.notNull())
      .addColumn("state", "text", (c) => c.notNull().check(sql`state in ('opening', 'active', 'replacing', 'ended')`))
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addColumn("validated", "integer", (c) => c.notNull())
      .addColumn("wrapped_secure_key", types.bytes, (c) => c.notNull())
      .addColumn("sealed_signing_key", types.bytes, (c) => c.notNull())
      .addColumn("transaction_id", "bigint", (c) => c.notNull())
      .execute();
    await db.schema.createIndex("sessions_by_expiry").on("sessions").column("expires_at").execute();

    await db.schema
      .createTable("row_counters")
      .addColumn("table_name", "text", (c) => c.primaryKey())
      .addColumn("last_row_id", "bigint", (c) => c.notNull())
      .execute();

    await db.schema
      .createTable("records")
      .addColumn("position", types.rowNumber, types.numbered)
      .addColumn("row_id", "text", (c) => c.notNull().unique())
      .addColumn("sender", "text", (c) => c.notNull())
      .addColumn("code", types.orderedText, (c) => c.notNull())
      .addColumn("topic", types.orderedText, (c) => c.notNull())
      .addColumn("created_at", "text", (c) => c.notNull())
      .addColumn("payload", "text", (c) => c.notNull())
      .addColumn("transaction_hash", types.bytes, (c) => c.notNull())
      .addColumn("block_number", "bigint", (c) => c.notNull())
      .execute();
    await db.schema.createIndex("records_by_code").on("records").columns(["code", "position"]).execute();
    await db.schema.createIndex("records_by_topic").on("records").columns(["topic", "position"]).execute();

    await db.schema
      .createTable("copy_progress")
      .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
      .addColumn("block_number", "bigint", (c) => c.notNull())
      .addColumn("block_hash", types.bytes, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable("transactions")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("purpose", "text", (c) => c.notNull())
      .addColumn("to_address", "text", (c) => c.notNull())
      .addColumn("data", types.bytes)
      .addColumn("state", "text", (c) =>
        c.notNull().check(sql`state in ('queued', 'sent', 'confirmed', 'reverted', 'refused', 'cancelled')`),
      )
      .addColumn("sender", types.orderedText)
      .addColumn("nonce", "bigint")
      .addColumn("raw", types.bytes)
      .addColumn("hash", types.bytes, (c) => c.unique())
      .addColumn("block_number", "bigint")
      .addColumn("block_hash", types.bytes)
      .addColumn("block_time", "bigint")
      .addColumn("validator", "text")
      .addColumn("reason", "text")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("settled_at", "bigint")
      .addUniqueConstraint("one_transaction_a_nonce", ["sender", "nonce"])
      .execute();
    // Only what is on its way is looked for by state; the indexes stay small however long the journal grows.
    await db.schema
      .createIndex("transactions_queued")
      .on("transactions")
      .column("id")
      .where(sql.ref("state"), "=", sql.lit("queued"))
      .execute();
    await db.schema
      .createIndex("transactions_sent")
      .on("transactions")
      .columns(["sender", "nonce"])
      .where(sql.ref("state"), "=", sql.lit("sent"))
      .execute();

    await db.schema
      .createIndex("transactions_failed")
      .on("transactions")
      .column("id")
      .where(sql.ref("state"), "in", sql`('reverted', 'refused', 'cancelled')`)
      .execute();

    await db.schema
      .createTable("anchors")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("hash", types.bytes, (c) => c.notNull().unique())
      .addColumn("size", "integer", (c) => c.notNull())
      .addColumn("transaction_id", "bigint", (c) => c.notNull().references("transactions.id"))
      .execute();
    await db.schema.createIndex("anchors_by_transaction").on("anchors").column("transaction_id").execute();

    await db.schema
      .createTable("proofs")
      .addColumn("sequence", types.rowNumber, types.numbered)
      .addColumn("document_id", "text", (c) => c.notNull())
      .addColumn("hash", types.bytes, (c) => c.notNull())
      .addColumn("record_hash", types.bytes, (c) => c.notNull())
      .addColumn("timestamp", "bigint", (c) => c.notNull())
      .addColumn("type", "text")
      .addColumn("source", "text")
      .addColumn("metadata", "text")
      .addColumn("accepted_at", "bigint", (c) => c.notNull())
      .addColumn("anchor_id", "bigint", (c) => c.notNull().references("anchors.id"))
      .execute();
    await db.schema.createIndex("proofs_by_document").on("proofs").columns(["document_id", "sequence"]).execute();
    await db.schema.createIndex("proofs_by_record_hash").on("proofs").column("record_hash").execute();
    await db.schema.createIndex("proofs_by_hash").on("proofs").columns(["hash", "sequence"]).execute();
    await db.schema.createIndex("proofs_by_anchor").on("proofs").column("anchor_id").execute();

    await db.schema
      .createTable("service_log")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("time", "bigint", (c) => c.notNull())
      .addColumn("level", "text", (c) => c.notNull())
      .addColumn("account", "text", (c) => c.notNull())
      .addColumn("message", "text", (c) => c.notNull())
      .execute();
    await db.schema.createIndex("service_log_by_account").on("service_log").columns(["account", "id"]).execute();
  },
};
