import { nextTurn } from "../kit/next-turn.ts";
import type { RecoveryStore } from "./verification.ts";
import type { Database } from "../journal/engine/database.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { assertWhole, matching, type ProofRow, type ProofStatements, selectProofs, toProof } from "../proofs/index.ts";

/** Proofs of a document that are read at a time. */
const PAGE = 100;

/** @param statements The statements of the proof store */
export function recoveryStore(database: Database, statements: ProofStatements): RecoveryStore {
  return {
    async ofDocuments(documentIds, checked) {
      const wanted = new Set(documentIds);
      const rows = await statements.lookup(database, documentIds.map(documentKey), checked);
      const found = await matching(rows, ({ documentId }) => wanted.has(documentId), checked);
      const known = new Set(found.map(({ documentId }) => documentId));
      for (const id of wanted) {
        if (known.has(id)) continue;
        // Its row may have got the name of another wanted document.
        await matching(await statements.lookup(database, [documentKey(id)]), (one) => one.documentId === id, checked);
      }
      return found.sort((a, b) => b.sequence - a.sequence);
    },

    async newestOfEach(documentIds, before, checked) {
      const newest = await statements.newestOfEach(database, documentIds.map(documentKey), before, checked);
      return new Map(
        documentIds.flatMap((id) => {
          const number = newest.get(documentKey(id));
          return number === undefined ? [] : [[id, number] as const];
        }),
      );
    },

    async ofEntries(wanted, checked) {
      const rows = await statements.ofEntries(database, [...wanted.values()], checked);
      return matching(rows, ({ documentId, sequence }) => wanted.get(documentId) === sequence, checked);
    },

    async *ofDocument(documentId, after, before, checked) {
      const range = { order: "newest first", from: before, limit: PAGE } as const;
      for await (const rows of statements.pages(database, documentKey(documentId), range, checked)) {
        const newer = rows.filter(({ sequence }) => sequence > after);
        yield await matching(newer, (proof) => proof.documentId === documentId, checked);
        if (newer.length < rows.length) return;
      }
    },

    async ofContent(hash, limit, checked) {
      const range = { order: "newest first", from: Infinity, limit } as const;
      const { value: newest } = await statements.pages(database, keyOf(hash), range, checked).next();
      return (newest ?? []).filter((row: ProofRow) => Buffer.compare(row.hash, hash) === 0).map(toProof);
    },

    async proofsAfter(sequence, limit, checked) {
      const { numbers, last } = await checked.proofsAfter(sequence, limit);
      // Other requests are served between the entries and their proofs.
      await nextTurn();
      const rows = await selectProofs(database)
        .where("proofs.sequence", ">", sequence)
        .where("proofs.sequence", "<=", last ?? sequence)
        .orderBy("proofs.sequence")
        .execute();
      assertWhole(rows, numbers, checked);
      return { proofs: rows.map(toProof), last };
    },
  };
}
