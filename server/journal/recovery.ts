import { hash as digest } from "node:crypto";
import type { RecoveryStore } from "../domain/recovery/ports.ts";
import type { Database } from "./database.ts";
import { documentKey, keyOf } from "./proof-key.ts";
import { type ProofStatements, selectProofs, toProof } from "./proofs.ts";
import { pieces } from "./statements.ts";

/** Enough of a document's SHA-256 that no two documents are taken for one. */
const DOCUMENT_LENGTH = 16;

/** @param statements Those of the proofs' own store */
export function recoveryStore(database: Database, statements: ProofStatements): RecoveryStore {
  return {
    async ofDocuments(documentIds) {
      const wanted = new Set(documentIds);
      const rows = await statements.lookup(database, documentIds.map(documentKey));
      return rows
        .filter(({ document_id }) => wanted.has(document_id))
        .sort((a, b) => b.sequence - a.sequence)
        .map(toProof);
    },

    async documentsWith(hash, limit) {
      const key = keyOf("hash", hash);
      const rows = await database
        .selectFrom("proofs")
        .select("document_id")
        .distinct()
        .where("sequence", "in", (e) =>
          e
            .selectFrom("proof_keys")
            .select("sequence")
            .where("key", "=", key)
            .unionAll(e.selectFrom("proof_keys_recent").select("sequence").where("key", "=", key)),
        )
        .where("hash", "=", hash)
        .limit(limit)
        .execute();
      return rows.map(({ document_id }) => document_id);
    },

    async proofsAfter(sequence, limit) {
      const rows = await selectProofs(database)
        .where("proofs.sequence", ">", sequence)
        .orderBy("proofs.sequence")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ sequence: row.sequence, proof: toProof(row) }));
    },

    async addRestored(verificationId, documentIds) {
      const documents = new Map(documentIds.map((id) => [id, documentBytes(id)]));
      for (const some of pieces([...documents.values()])) {
        await database
          .insertInto("recovery_documents")
          .values(some.map((document) => ({ verification_id: verificationId, document })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },

    async restored(verificationId, documentIds) {
      const found = new Set<string>();
      for (const some of pieces([...documentIds])) {
        const rows = await database
          .selectFrom("recovery_documents")
          .select("document")
          .where("verification_id", "=", verificationId)
          .where("document", "in", some.map(documentBytes))
          .execute();
        const there = new Set(rows.map(({ document }) => hex(document)));
        for (const id of some) if (there.has(hex(documentBytes(id)))) found.add(id);
      }
      return found;
    },

    async begin({ id, asOf, startedAt }) {
      const counts = { documents: 0, matches: 0, mismatches: 0, unrecorded: 0 };
      await database.insertInto("recovery_verifications").values({ id, as_of: asOf ?? null, started_at: startedAt, ...counts }).execute();
    },

    async finish({ id, finishedAt, totals, rowsRoot }) {
      const { documents, match: matches, mismatch: mismatches, unrecorded } = totals;
      await database
        .updateTable("recovery_verifications")
        .set({ finished_at: finishedAt, documents, matches, mismatches, unrecorded, rows_root: rowsRoot })
        .where("id", "=", id)
        .execute();
    },

    async find(id) {
      const finished = database.selectFrom("recovery_verifications").selectAll().where("finished_at", "is not", null);
      const wanted = id === undefined ? finished.orderBy("finished_at", "desc").limit(1) : finished.where("id", "=", id);
      const row = await wanted.executeTakeFirst();
      if (row === undefined || row.finished_at === null || row.rows_root === null) return undefined;
      const { documents, matches: match, mismatches: mismatch, unrecorded } = row;
      return {
        id: row.id,
        asOf: row.as_of ?? undefined,
        finishedAt: row.finished_at,
        totals: { documents, match, mismatch, unrecorded },
        rowsRoot: row.rows_root,
      };
    },

    async forgetUnfinished(startedBefore) {
      const left = await database
        .selectFrom("recovery_verifications")
        .select("id")
        .where("finished_at", "is", null)
        .where("started_at", "<", startedBefore)
        .execute();
      for (const { id } of left) {
        await database.deleteFrom("recovery_documents").where("verification_id", "=", id).execute();
        await database.deleteFrom("recovery_verifications").where("id", "=", id).execute();
      }
    },
  };
}

function documentBytes(documentId: string): Uint8Array {
  return digest("sha256", documentId, "buffer").subarray(0, DOCUMENT_LENGTH);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
