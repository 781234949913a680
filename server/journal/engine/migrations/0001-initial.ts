import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { columnTypes, isPostgres, refuseChanges, refuseChangesOf } from "./portable-schema.ts";

/** The whole schema. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await accountsAndSessions(db);
    await records(db);
    await transactions(db);
    await journalRows(db);
    await proofKeys(db);
    await anchors(db);
    await chainIdentity(db);
    await reconciliation(db);
    await recovery(db);
    await operations(db);
    await chats(db);
  },
};

async function accountsAndSessions(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("accounts")
    .addColumn("address", "text", (c) => c.primaryKey())
    .addColumn("keystore", "text", (c) => c.notNull())
    .addColumn("scope", "text", (c) => c.notNull().check(sql`scope in ('full', 'read')`))
    .addColumn("enrolled", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("revoked_at", "bigint")
    .addColumn("sequence", "bigint", (c) => c.notNull().unique())
    .execute();

  await db.schema
    .createTable("changed_keystores")
    .addColumn("address", "text", (c) => c.primaryKey())
    .addColumn("keystore", "text", (c) => c.notNull())
    .addColumn("changed_at", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("issuer_keys")
    .addColumn("sequence", "bigint", (c) => c.primaryKey())
    .addColumn("public_key", types.bytes, (c) => c.notNull())
    .addColumn("keystore", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("sessions")
    .addColumn("token_hash", types.bytes, (c) => c.primaryKey())
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull().check(sql`state in ('opening', 'active', 'replacing', 'ended')`))
    .addColumn("expires_at_seconds", "bigint", (c) => c.notNull())
    .addColumn("validated", "integer", (c) => c.notNull())
    .addColumn("wrapped_secure_key", types.bytes, (c) => c.notNull())
    .addColumn("encrypted_signing_key", types.bytes, (c) => c.notNull())
    .addColumn("transaction_id", "bigint", (c) => c.notNull())
    .addColumn("session_id", types.bytes, (c) => c.notNull())
    .execute();
  // Ended tokens have no keys.
  for (const [name, column] of [
    ["sessions_with_keys", "expires_at_seconds"],
    ["sessions_with_keys_by_id", "session_id"],
  ] as const)
    await sql`create index ${sql.id(name)} on sessions (${sql.id(column)})
      where length(wrapped_secure_key) > 0`.execute(db);
  await db.schema.createIndex("sessions_by_expiry").on("sessions").column("expires_at_seconds").execute();

  await db.schema
    .createTable("keyed_calls")
    .addColumn("id", types.bytes, (c) => c.primaryKey())
    .addColumn("digest", types.bytes, (c) => c.notNull())
    .addColumn("begun_at", "bigint", (c) => c.notNull())
    .addColumn("row_id", "bigint")
    .addColumn("transaction_id", "bigint")
    .execute();
  await db.schema.createIndex("keyed_calls_by_age").on("keyed_calls").column("begun_at").execute();

  await db.schema
    .createTable("login_failures")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("count", "integer", (c) => c.notNull())
    .addColumn("window_ends_at", "bigint", (c) => c.notNull())
    .addColumn("lock_outs", "integer", (c) => c.notNull())
    .addColumn("locked_until", "bigint", (c) => c.notNull())
    .addColumn("forgotten_at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("login_failures_forgotten")
    .on("login_failures")
    .columns(["forgotten_at", "key"])
    .execute();

  await db.schema
    .createTable("login_sources")
    .addColumn("login", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("logged_in_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("login_sources_by_login", ["login", "source"])
    .execute();
  await db.schema.createIndex("login_sources_by_source").on("login_sources").column("source").execute();

  await db.schema
    .createTable("service_log")
    .addColumn("id", types.rowNumber, types.numbered)
    .addColumn("time", "bigint", (c) => c.notNull())
    .addColumn("level", "text", (c) => c.notNull())
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("message", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("service_log_by_account").on("service_log").columns(["account", "id"]).execute();
}

async function records(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("row_counters")
    .addColumn("table_name", "text", (c) => c.primaryKey())
    .addColumn("last_row_id", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("distant_rows")
    .addColumn("table_name", "text", (c) => c.notNull())
    .addColumn("first_row_id", "bigint", (c) => c.notNull())
    .addColumn("last_row_id", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("distant_rows_by_first", ["table_name", "first_row_id"])
    .execute();

  await db.schema
    .createTable("records")
    .addColumn("position", types.rowNumber, types.numbered)
    .addColumn("row_id", "text", (c) => c.notNull())
    .addColumn("digest", types.bytes, (c) => c.notNull().unique())
    .addColumn("sender", "text", (c) => c.notNull())
    .addColumn("code", types.orderedText, (c) => c.notNull())
    .addColumn("topic", types.orderedText, (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("transaction_hash", types.bytes, (c) => c.notNull())
    .addColumn("block_number", "bigint", (c) => c.notNull())
    .addColumn("overwritten_by", types.bytes)
    .execute();
  await db.schema
    .createIndex("records_current")
    .unique()
    .on("records")
    .column("row_id")
    .where(sql.ref("overwritten_by"), "is", null)
    .execute();
  await db.schema.createIndex("records_by_code").on("records").columns(["code", "position"]).execute();
  await db.schema.createIndex("records_by_topic").on("records").columns(["topic", "position"]).execute();

  await db.schema
    .createTable("index_progress")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("block_number", "bigint", (c) => c.notNull())
    .addColumn("block_hash", types.bytes, (c) => c.notNull())
    .addColumn("built_to", "bigint", (c) => c.notNull())
    .execute();
}

async function transactions(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
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
    .addColumn("outcome_at", "bigint")
    .addUniqueConstraint("one_transaction_a_nonce", ["sender", "nonce"])
    .execute();
  // Only rows in flight are looked up by state; the indexes stay small in a journal of any length.
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

  // Only transactions that were replaced have rows here: all of their versions.
  await db.schema
    .createTable("transaction_versions")
    .addColumn("number", types.rowNumber, types.numbered)
    .addColumn("transaction_id", "bigint", (c) => c.notNull().references("transactions.id"))
    .addColumn("raw", types.bytes, (c) => c.notNull())
    .addColumn("hash", types.bytes, (c) => c.notNull().unique())
    .execute();
  await db.schema
    .createIndex("versions_of_transaction")
    .on("transaction_versions")
    .columns(["transaction_id", "number"])
    .execute();
  await db.schema
    .createIndex("transactions_failed")
    .on("transactions")
    .column("id")
    .where(sql.ref("state"), "in", sql`('reverted', 'refused', 'cancelled')`)
    .execute();
}

async function journalRows(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("journal_rows")
    .addColumn("first_sequence", types.rowNumber, isPostgres(db) ? (c) => c.notNull() : (c) => c.primaryKey())
    .addColumn("last_sequence", "bigint", (c) => c.notNull())
    .addColumn("proofs", "bigint", (c) => c.notNull())
    .addColumn("digest", types.bytes, (c) => c.notNull())
    .addColumn("code", types.bytes, (c) => c.notNull())
    .addColumn("body", types.bytes, (c) => c.notNull())
    .execute();
  if (isPostgres(db)) {
    // Rows are only ever appended, and their bodies are compressed already.
    await sql`alter table journal_rows add primary key (first_sequence) with (fillfactor = 100)`.execute(db);
    await sql`alter table journal_rows alter column body set storage external`.execute(db);
  }
  await db.schema
    .createTable("batch_rows")
    .addColumn("anchor_id", "bigint", (c) => c.notNull())
    .addColumn("first_sequence", "bigint", (c) => c.notNull())
    .addColumn("proofs", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("batch_rows_by_anchor", ["anchor_id", "first_sequence"])
    .modifyEnd(isPostgres(db) ? sql`` : sql`without rowid`)
    .execute();
  await db.schema
    .createTable("resolutions")
    .addColumn("sequence", "bigint", (c) => c.primaryKey())
    .execute();
  await db.schema
    .createTable("journal_name")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("name", "text", (c) => c.notNull())
    .execute();
}

async function proofKeys(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  const clustered = isPostgres(db) ? sql`` : sql`without rowid`;
  // Rows grow to twice their initial size: with free space on their page, updates do not touch the index.
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
}

async function anchors(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("anchors")
    .addColumn("id", types.rowNumber, types.numbered)
    .addColumn("hash", types.bytes, (c) => c.unique())
    .addColumn("size", "integer", (c) => c.notNull())
    .addColumn("transaction_id", "bigint", (c) => c.references("transactions.id"))
    .addColumn("confirmation", "bigint")
    .addColumn("checkpoint", "bigint")
    .addColumn("relayer", "text", (c) => c.notNull())
    .addColumn("opened_at", "bigint", (c) => c.notNull())
    .addCheckConstraint("closed_whole", sql`(hash is null) = (transaction_id is null)`)
    .execute();

  await db.schema
    .createTable("contracts")
    .addColumn("id", types.rowNumber, types.numbered)
    .addColumn("address", "text", (c) => c.notNull().unique())
    .addColumn("first_block", "bigint", (c) => c.notNull())
    .execute();

  await db.schema
    .createTable("confirmations")
    .addColumn("sequence", "bigint", (c) => c.primaryKey())
    .addColumn("anchor_id", "bigint", (c) => c.notNull())
    .addColumn("hash", types.bytes, (c) => c.notNull())
    .addColumn("size", "integer", (c) => c.notNull())
    .addColumn("checkpoint", "bigint")
    .addColumn("contract_id", "integer", (c) => c.notNull())
    .addColumn("transaction_hash", types.bytes, (c) => c.notNull())
    .addColumn("block_number", "bigint", (c) => c.notNull())
    .addColumn("block_hash", types.bytes, (c) => c.notNull())
    .addColumn("block_time", "bigint", (c) => c.notNull())
    .addColumn("validator", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("anchors_by_transaction").on("anchors").column("transaction_id").execute();
  await db.schema
    .createIndex("anchors_open")
    .on("anchors")
    .column("id")
    .where(sql.ref("transaction_id"), "is", null)
    .execute();
  await db.schema
    .createIndex("anchors_checkpoint")
    .on("anchors")
    .column("checkpoint")
    .where(sql.ref("checkpoint"), "is not", null)
    .execute();
  await db.schema.createIndex("confirmations_by_transaction").on("confirmations").column("transaction_hash").execute();
  await db.schema
    .createIndex("anchors_confirmed")
    .on("anchors")
    .column("confirmation")
    .where(sql.ref("confirmation"), "is not", null)
    .execute();
  await db.schema.createIndex("confirmations_by_block").on("confirmations").column("block_number").execute();
  await db.schema.createIndex("confirmations_by_anchor").on("confirmations").column("anchor_id").execute();
}

/** The chain that the journal belongs to, and the validators that the server accepts blocks of. */
async function chainIdentity(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("chain_identity")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("chain_id", "bigint", (c) => c.notNull())
    .addColumn("genesis_hash", types.bytes, (c) => c.notNull())
    .addColumn("contracts", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("validator_sets")
    .addColumn("from_block", "bigint", (c) => c.primaryKey())
    .addColumn("validators", "text", (c) => c.notNull())
    .execute();
  await refuseChangesOf(db, "chain_identity", ["chain_id", "genesis_hash"]);
  await refuseChanges(db, "validator_sets");
}

async function reconciliation(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("reconciliation")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("holder", "text")
    .addColumn("lease_expires_at", "bigint", (c) => c.notNull())
    .addColumn("confirmation", "bigint", (c) => c.notNull())
    .addColumn("block_number", "bigint")
    .addColumn("block_hash", types.bytes)
    .addColumn("passed_at", "bigint")
    .addColumn("full_passed_at", "bigint")
    .execute();
  await sql`insert into reconciliation (id, lease_expires_at, confirmation) values (1, 0, 0)`.execute(db);

  await db.schema
    .createTable("divergences")
    .addColumn("subject", "text", (c) => c.primaryKey())
    .addColumn("message", "text", (c) => c.notNull())
    .addColumn("found_at", "bigint", (c) => c.notNull())
    .execute();
}

async function recovery(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("recovery_verifications")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addColumn("sequence", "bigint", (c) => c.unique())
    .addColumn("document_digests", types.bytes)
    .addColumn("caller", "text")
    .addColumn("quota", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("recovery_verifications_kept")
    .on("recovery_verifications")
    .columns(["caller", "sequence", "quota"])
    .where(sql.ref("quota"), ">", sql.lit(0))
    .execute();

  await db.schema
    .createTable("recovery_documents")
    .addColumn("verification_id", "text", (c) => c.notNull())
    .addColumn("document", types.bytes, (c) => c.notNull())
    .addPrimaryKeyConstraint("recovery_documents_by_verification", ["verification_id", "document"])
    .modifyEnd(isPostgres(db) ? sql`` : sql`without rowid`)
    .execute();
}

async function operations(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("scope", "text", (c) => c.notNull().check(sql`scope in ('read', 'write')`))
    .addColumn("digest", types.bytes, (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();

  await db.schema
    .createTable("alerts")
    .addColumn("id", types.rowNumber, types.numbered)
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("message", "text", (c) => c.notNull())
    // JSON: the texts before.
    .addColumn("earlier", "text", (c) => c.notNull())
    .addColumn("raised_at", "bigint", (c) => c.notNull())
    .addColumn("resolved_at", "bigint")
    .execute();
  // At most one alert of a kind and subject is open.
  await db.schema
    .createIndex("alerts_open")
    .unique()
    .on("alerts")
    .columns(["kind", "subject"])
    .where(sql.ref("resolved_at"), "is", null)
    .execute();
  await db.schema
    .createTable("storage_probe")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("written_at", "bigint", (c) => c.notNull())
    .execute();
}

async function chats(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes(db);
  await db.schema
    .createTable("chat_updates")
    .addColumn("number", "bigint", (c) => c.primaryKey())
    .addColumn("received_at", "bigint", (c) => c.notNull())
    .addColumn("body", types.bytes)
    .addColumn("memo", types.bytes)
    .execute();
  await db.schema
    .createTable("chat_users")
    .addColumn("id", "bigint", (c) => c.primaryKey())
    .addColumn("account", "text", (c) => c.unique())
    .addColumn("state", types.bytes, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("chat_deletions")
    .addColumn("chat", "bigint", (c) => c.notNull())
    .addColumn("message", "bigint", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("chat_deletions_pkey", ["chat", "message"])
    .execute();
}
