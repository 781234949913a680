import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes, continueNumbers } from "../portable-schema.ts";

/**
 * Batches: an anchor is there before its root is, and a proof has a place under it. The indexes on hashes hold only
 * their first bytes: hashes fall on pages at random, and every page that an index does not have is a page that an
 * acceptance does not write.
 */
export const batches: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("anchors_2")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("hash", types.bytes, (c) => c.unique())
      .addColumn("size", "integer", (c) => c.notNull())
      .addColumn("transaction_id", "bigint", (c) => c.references("transactions.id"))
      .addColumn("relayer", "text", (c) => c.notNull())
      .addColumn("opened_at", "bigint", (c) => c.notNull())
      .addCheckConstraint("closed_whole", sql`(hash is null) = (transaction_id is null)`)
      .execute();
    await sql`
      insert into anchors_2 (id, hash, size, transaction_id, relayer, opened_at)
      select anchors.id, anchors.hash, anchors.size, anchors.transaction_id, coalesce(transactions.sender, ''), transactions.created_at
      from anchors join transactions on transactions.id = anchors.transaction_id`.execute(db);
    await continueNumbers(db, "anchors_2", "id");

    await db.schema
      .createTable("proofs_2")
      .addColumn("sequence", types.rowNumber, types.numbered)
      .addColumn("document_id", "text", (c) => c.notNull())
      .addColumn("hash", types.bytes, (c) => c.notNull())
      .addColumn("record_hash", types.bytes, (c) => c.notNull())
      .addColumn("timestamp", "bigint", (c) => c.notNull())
      .addColumn("type", "text")
      .addColumn("source", "text")
      .addColumn("metadata", "text")
      .addColumn("accepted_at", "bigint", (c) => c.notNull())
      .addColumn("anchor_id", "bigint", (c) => c.notNull().references("anchors_2.id"))
      .addColumn("leaf_index", "integer", (c) => c.notNull())
      .execute();
    await sql`
      insert into proofs_2
      select sequence, document_id, hash, record_hash, timestamp, type, source, metadata, accepted_at, anchor_id, 0
      from proofs order by sequence`.execute(db);
    await continueNumbers(db, "proofs_2", "sequence");

    // With the tables go their indexes. Renaming takes the references along.
    await db.schema.dropTable("proofs").execute();
    await db.schema.dropTable("anchors").execute();
    await db.schema.alterTable("anchors_2").renameTo("anchors").execute();
    await db.schema.alterTable("proofs_2").renameTo("proofs").execute();

    await db.schema.createIndex("anchors_by_transaction").on("anchors").column("transaction_id").execute();
    await db.schema
      .createIndex("anchors_open")
      .on("anchors")
      .column("id")
      .where(sql.ref("transaction_id"), "is", null)
      .execute();
    await db.schema.createIndex("proofs_by_document").on("proofs").columns(["document_id", "sequence"]).execute();
    await db.schema.createIndex("proofs_by_anchor").on("proofs").columns(["anchor_id", "leaf_index"]).execute();
    await db.schema
      .createIndex("proofs_by_record_hash")
      .on("proofs")
      .expression(sql`substr(record_hash, 1, 8)`)
      .execute();
    await db.schema
      .createIndex("proofs_by_hash")
      .on("proofs")
      .expression(sql`substr(hash, 1, 8)`)
      .execute();
  },
};
