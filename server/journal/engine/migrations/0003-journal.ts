import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { GENESIS_DIGEST } from "../../entries/entry.ts";
import { columnTypes, continueNumbers, isPostgres } from "../portable-schema.ts";
import { refuseChanges, refuseChangesOf } from "./append-only.ts";
import { moveEntries } from "./0003-entries.ts";

/**
 * The journal as a chain of entries that the database itself does not let anybody change: proofs without what follows
 * from their own facts, confirmations, accounts. Proofs are found by short keys instead of indexes on hashes.
 */
export const journal: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const types = columnTypes(db);
    await db.schema
      .createTable("journal_head")
      .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
      .addColumn("sequence", "bigint", (c) => c.notNull())
      .addColumn("digest", types.bytes, (c) => c.notNull())
      .addColumn("proofs", "bigint", (c) => c.notNull())
      .execute();
    await sql`insert into journal_head (id, sequence, digest, proofs) values (1, 0, ${GENESIS_DIGEST}, 0)`.execute(db);

    await db.schema
      .createTable("proof_labels")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("text", "text", (c) => c.notNull().unique())
      .execute();

    await db.schema
      .createTable("proofs_3")
      .addColumn("sequence", types.rowNumber, isPostgres(db) ? (c) => c.notNull() : (c) => c.primaryKey())
      .addColumn("accepted_at", "bigint", (c) => c.notNull())
      .addColumn("timestamp", "bigint", (c) => c.notNull())
      .addColumn("batch_id", "bigint", (c) => c.notNull())
      .addColumn("label_id", "integer", (c) => c.references("proof_labels.id"))
      .addColumn("leaf_index", "integer", (c) => c.notNull())
      .addColumn("alike", "smallint", (c) => c.notNull())
      .addColumn("link", types.bytes, (c) => c.notNull())
      .addColumn("hash", types.bytes, (c) => c.notNull())
      .addColumn("document_id", "text", (c) => c.notNull())
      .addColumn("metadata", "text")
      .modifyEnd(isPostgres(db) ? sql`partition by range (accepted_at)` : sql``)
      .execute();
    if (isPostgres(db)) {
      // Rows are only ever added, at the end.
      await sql`alter table proofs_3 add primary key (sequence, accepted_at) with (fillfactor = 100)`.execute(db);
      await db.schema
        .createTable("proof_months")
        .addColumn("first_sequence", "bigint", (c) => c.primaryKey())
        .addColumn("month", "integer", (c) => c.notNull())
        .execute();
    }

    const clustered = isPostgres(db) ? sql`` : sql`without rowid`;
    // Its rows grow to twice what they begin with: with room for that on their page their index is left alone.
    const roomy = isPostgres(db) ? sql`with (fillfactor = 50)` : clustered;
    await db.schema
      .createTable("proof_keys")
      .addColumn("bucket", "integer", (c) => c.notNull())
      .addColumn("epoch", "integer", (c) => c.notNull())
      .addColumn("entries", types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint("proof_keys_by_bucket", ["bucket", "epoch"])
      .modifyEnd(roomy)
      .execute();
    await db.schema
      .createTable("proof_keys_recent")
      .addColumn("key", "bigint", (c) => c.notNull())
      .addColumn("sequence", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("proof_keys_recent_by_key", ["key", "sequence"])
      .modifyEnd(clustered)
      .execute();

    await db.schema
      .createTable("anchors_3")
      .addColumn("id", types.rowNumber, types.numbered)
      .addColumn("batch_id", "bigint", (c) => c.notNull())
      .addColumn("first_leaf", "integer", (c) => c.notNull())
      .addColumn("last_leaf", "integer", (c) => c.notNull())
      .addColumn("first_sequence", "bigint", (c) => c.notNull())
      .addColumn("last_sequence", "bigint", (c) => c.notNull())
      .addColumn("hash", types.bytes, (c) => c.unique())
      .addColumn("size", "integer", (c) => c.notNull())
      .addColumn("transaction_id", "bigint", (c) => c.references("transactions.id"))
      .addColumn("confirmation", "bigint")
      .addColumn("sealed", "bigint")
      .addColumn("relayer", "text", (c) => c.notNull())
      .addColumn("opened_at", "bigint", (c) => c.notNull())
      .addCheckConstraint("closed_whole", sql`(hash is null) = (transaction_id is null)`)
      .execute();

    await db.schema
      .createTable("confirmations")
      .addColumn("sequence", "bigint", (c) => c.primaryKey())
      .addColumn("anchor_id", "bigint", (c) => c.notNull())
      .addColumn("batch_id", "bigint", (c) => c.notNull())
      .addColumn("first_leaf", "integer", (c) => c.notNull())
      .addColumn("hash", types.bytes, (c) => c.notNull())
      .addColumn("size", "integer", (c) => c.notNull())
      .addColumn("sealed", "bigint")
      .addColumn("transaction_hash", types.bytes, (c) => c.notNull())
      .addColumn("block_number", "bigint", (c) => c.notNull())
      .addColumn("block_hash", types.bytes, (c) => c.notNull())
      .addColumn("block_time", "bigint", (c) => c.notNull())
      .addColumn("validator", "text", (c) => c.notNull())
      .addColumn("digest", types.bytes, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable("accounts_3")
      .addColumn("address", "text", (c) => c.primaryKey())
      .addColumn("keystore", "text", (c) => c.notNull())
      .addColumn("scope", "text", (c) => c.notNull().check(sql`scope in ('full', 'read')`))
      .addColumn("enrolled", "integer", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("revoked_at", "bigint")
      .addColumn("sequence", "bigint", (c) => c.notNull().unique())
      .addColumn("digest", types.bytes, (c) => c.notNull())
      .execute();

    await db.schema
      .createTable("reconciliation")
      .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
      .addColumn("holder", "text")
      .addColumn("held_until", "bigint", (c) => c.notNull())
      .addColumn("confirmation", "bigint", (c) => c.notNull())
      .addColumn("block_number", "bigint")
      .addColumn("block_hash", types.bytes)
      .addColumn("passed_at", "bigint")
      .addColumn("full_passed_at", "bigint")
      .execute();
    await sql`insert into reconciliation (id, held_until, confirmation) values (1, 0, 0)`.execute(db);

    await db.schema
      .createTable("divergences")
      .addColumn("subject", "text", (c) => c.primaryKey())
      .addColumn("message", "text", (c) => c.notNull())
      .addColumn("found_at", "bigint", (c) => c.notNull())
      .execute();

    await moveEntries(db);
    await continueNumbers(db, "anchors_3", "id");

    // With the tables go their indexes.
    for (const table of ["proofs", "anchors", "accounts"]) {
      await db.schema.dropTable(table).execute();
      await db.schema.alterTable(`${table}_3`).renameTo(table).execute();
    }

    await db.schema
      .createIndex("proofs_alike")
      .on("proofs")
      .column("batch_id")
      .where(sql.ref("alike"), "=", sql.lit(1))
      .execute();
    await db.schema.createIndex("anchors_by_batch").on("anchors").columns(["batch_id", "first_leaf"]).execute();
    await db.schema.createIndex("anchors_by_transaction").on("anchors").column("transaction_id").execute();
    await db.schema
      .createIndex("anchors_open")
      .on("anchors")
      .column("id")
      .where(sql.ref("transaction_id"), "is", null)
      .execute();
    await db.schema
      .createIndex("anchors_sealed")
      .on("anchors")
      .column("sealed")
      .where(sql.ref("sealed"), "is not", null)
      .execute();
    await db.schema
      .createIndex("confirmations_by_transaction")
      .on("confirmations")
      .column("transaction_hash")
      .execute();
    await db.schema
      .createIndex("anchors_confirmed")
      .on("anchors")
      .column("confirmation")
      .where(sql.ref("confirmation"), "is not", null)
      .execute();
    await db.schema.createIndex("confirmations_by_block").on("confirmations").column("block_number").execute();
    await db.schema.createIndex("confirmations_by_anchor").on("confirmations").column("anchor_id").execute();

    for (const table of ["proofs", "proof_labels", "confirmations"]) await refuseChanges(db, table);
    if (isPostgres(db)) await refuseChanges(db, "proof_months");
    await refuseChangesOf(db, "accounts", ["address", "keystore", "created_at", "sequence", "digest"]);
  },
};
