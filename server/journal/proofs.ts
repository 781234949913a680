import type { ProofStore } from "../domain/ports.ts";
import type { ProofMetadata, StoredProof } from "../domain/proofs/proof.ts";
import { sql, type SqlBool } from "kysely";
import type { Database } from "./database.ts";
import { blockOf } from "./transactions.ts";

// As in the index on what failed, which is used only for the very same words.
const FAILED = sql<SqlBool>`transactions.state in ('reverted', 'refused', 'cancelled')`;

function select(database: Database) {
  return database
    .selectFrom("proofs")
    .innerJoin("anchors", "anchors.id", "proofs.anchor_id")
    .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "proofs.sequence",
      "proofs.document_id",
      "proofs.hash",
      "proofs.record_hash",
      "proofs.timestamp",
      "proofs.type",
      "proofs.source",
      "proofs.metadata",
      "proofs.accepted_at",
      "anchors.transaction_id",
      "transactions.state",
      "transactions.hash as transaction_hash",
      "transactions.block_number",
      "transactions.block_hash",
      "transactions.block_time",
      "transactions.validator",
    ]);
}

type ProofRow = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toProof(row: ProofRow): StoredProof {
  const state = row.state === "confirmed" ? "confirmed" : row.state === "queued" || row.state === "sent" ? "pending" : "failed";
  const block = state === "confirmed" ? blockOf(row) : undefined;
  return {
    sequence: row.sequence,
    documentId: row.document_id,
    hash: row.hash,
    recordHash: row.record_hash,
    metadata: toMetadata(row),
    acceptedAt: row.accepted_at,
    transactionId: row.transaction_id,
    state,
    anchor: block && row.transaction_hash ? { transactionHash: row.transaction_hash, block } : undefined,
  };
}

function toMetadata(row: ProofRow): ProofMetadata {
  const rest: Record<string, unknown> = row.metadata === null ? {} : JSON.parse(row.metadata);
  return {
    ...(row.type === null ? {} : { type: row.type }),
    timestamp: row.timestamp,
    ...(row.source === null ? {} : { source: row.source }),
    ...rest,
  };
}

export function proofStore(database: Database): ProofStore {
  return {
    async insert(proof) {
      await database
        .insertInto("anchors")
        .values({ hash: proof.recordHash, size: 0, transaction_id: proof.transactionId })
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .execute();
      const { id } = await database
        .selectFrom("anchors")
        .select("id")
        .where("hash", "=", proof.recordHash)
        .executeTakeFirstOrThrow();
      const { type, timestamp, source, ...rest } = proof.metadata;
      await database
        .insertInto("proofs")
        .values({
          document_id: proof.documentId,
          hash: proof.hash,
          record_hash: proof.recordHash,
          timestamp,
          type: type ?? null,
          source: source ?? null,
          metadata: Object.keys(rest).length === 0 ? null : JSON.stringify(rest),
          accepted_at: proof.acceptedAt,
          anchor_id: id,
        })
        .execute();
    },

    async byRecordHash(recordHash) {
      const rows = await select(database)
        .where("proofs.record_hash", "=", recordHash)
        .orderBy("proofs.sequence")
        .execute();
      return rows.map(toProof);
    },

    async byDocument(documentId) {
      const rows = await select(database)
        .where("proofs.document_id", "=", documentId)
        .orderBy("proofs.sequence", "desc")
        .execute();
      return rows.map(toProof);
    },

    async byHash(hash) {
      const rows = await select(database).where("proofs.hash", "=", hash).orderBy("proofs.sequence").execute();
      return rows.map(toProof);
    },

    async byTransaction(transactionHash) {
      const rows = await select(database)
        .where("transactions.hash", "=", transactionHash)
        .orderBy("proofs.sequence")
        .execute();
      return rows.map(toProof);
    },

    async failedAnchors() {
      const rows = await database
        .selectFrom("anchors")
        .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
        .select("anchors.hash")
        .where(FAILED)
        .orderBy("anchors.id")
        .execute();
      return rows.map((row) => ({ recordHash: row.hash }));
    },

    async retry(recordHash, transactionId) {
      await database
        .updateTable("anchors")
        .set({ transaction_id: transactionId })
        .where("hash", "=", recordHash)
        .execute();
    },

    async counts() {
      return database
        .selectFrom("proofs")
        .innerJoin("anchors", "anchors.id", "proofs.anchor_id")
        .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
        .select((e) => [
          e.fn.countAll<number>().as("records"),
          e.fn
            .coalesce(e.fn.sum<number>(e.case().when("transactions.state", "=", "confirmed").then(0).else(1).end()), sql<number>`0`)
            .as("pending"),
        ])
        .executeTakeFirstOrThrow();
    },
  };
}
