import { hash as digest } from "node:crypto";
import type { RecordedProof, RecoveryStore } from "./verification.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction, newestSequence } from "../journal/entries/entry-log.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { type ProofRow, type ProofStatements, selectProofs, toProof } from "../proofs/index.ts";
import { chunks, StatementCache } from "../journal/engine/statement-cache.ts";
import { hex } from "../kit/hex.ts";

/** Length of a document's truncated SHA-256, long enough to exclude collisions. */
const DOCUMENT_LENGTH = 16;
/** Maximum number of rows deleted per transaction, to bound the wait of other writers. */
const FORGOTTEN_AT_ONCE = 5_000;

/** @param statements The statements of the proof store */
export function recoveryStore(database: Database, statements: ProofStatements): RecoveryStore {
  const additions = new StatementCache();

  return {
    async ofDocuments(documentIds) {
      const wanted = new Set(documentIds);
      const rows = await statements.lookup(database, documentIds.map(documentKey));
      return rows
        .filter(({ document_id }) => wanted.has(document_id))
        .sort((a, b) => b.sequence - a.sequence)
        .map(toRecorded);
    },

    async ofContent(hash, limit) {
      const { value: newest } = await statements.pages(database, keyOf(hash), "newest first", limit).next();
      return (newest ?? []).filter((row: ProofRow) => Buffer.compare(row.hash, hash) === 0).map(toProof);
    },

    async proofsAfter(sequence, limit) {
      const rows = await selectProofs(database)
        .where("proofs.sequence", ">", sequence)
        .orderBy("proofs.sequence")
        .limit(limit)
        .execute();
      return rows.map(toRecorded);
    },

    async addRestored(verificationId, documentIds) {
      const documents = [...new Set(documentIds)].map(documentBytes).sort(Buffer.compare);
      // One commit for all rows, in the order of the index.
      await inTransaction(database, async (transaction) => {
        for (const some of chunks(documents)) {
          const compile = () =>
            transaction
              .insertInto("recovery_documents")
              .values(some.map((document) => ({ verification_id: verificationId, document })))
              .onConflict((conflict) => conflict.doNothing())
              .compile();
          await transaction.executeQuery(
            additions.of(
              some.length,
              compile,
              some.flatMap((document) => [verificationId, document]),
            ),
          );
        }
      });
    },

    async restored(verificationId, documentIds) {
      const found = new Set<string>();
      for (const some of chunks([...documentIds])) {
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
      const newestEntry = await newestSequence(database);
      await database
        .insertInto("recovery_verifications")
        .values({
          id,
          as_of: asOf ?? null,
          newest_entry: newestEntry,
          started_at: startedAt,
          documents: 0,
          matches: 0,
          mismatches: 0,
          unrecorded: 0,
        })
        .execute();
      return newestEntry;
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
      const wanted =
        id === undefined ? finished.orderBy("finished_at", "desc").limit(1) : finished.where("id", "=", id);
      const row = await wanted.executeTakeFirst();
      if (row === undefined || row.finished_at === null || row.rows_root === null) return undefined;
      const { documents, matches: match, mismatches: mismatch, unrecorded } = row;
      return {
        id: row.id,
        asOf: row.as_of ?? undefined,
        newestEntry: row.newest_entry,
        finishedAt: row.finished_at,
        totals: { documents, match, mismatch, unrecorded },
        rowsRoot: row.rows_root,
      };
    },

    async forget(id) {
      const documents = database
        .selectFrom("recovery_documents")
        .select("document")
        .where("verification_id", "=", id)
        .limit(FORGOTTEN_AT_ONCE);
      for (;;) {
        const deletion = database
          .deleteFrom("recovery_documents")
          .where("verification_id", "=", id)
          .where("document", "in", documents);
        const { numDeletedRows } = await deletion.executeTakeFirstOrThrow();
        if (numDeletedRows < FORGOTTEN_AT_ONCE) break;
      }
      await database.deleteFrom("recovery_verifications").where("id", "=", id).execute();
    },

    async unfinished(startedBefore) {
      const rows = await database
        .selectFrom("recovery_verifications")
        .select("id")
        .where("finished_at", "is", null)
        .where("started_at", "<", startedBefore)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

function toRecorded(row: ProofRow): RecordedProof {
  return { sequence: row.sequence, proof: toProof(row) };
}

function documentBytes(documentId: string): Uint8Array {
  return digest("sha256", documentId, "buffer").subarray(0, DOCUMENT_LENGTH);
}
