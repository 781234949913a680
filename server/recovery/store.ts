import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { RecoveryStore } from "./verification.ts";
import type { Database } from "../journal/engine/database.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { equalBytes } from "../kit/bytes.ts";
import type { ProofStatements } from "../proofs/index.ts";

/** Proofs of a document that are read at a time. */
const PAGE = 100;

/** @param statements The statements of the proof store */
export function recoveryStore(database: Database, statements: ProofStatements): RecoveryStore {
  return {
    async ofDocuments(documentIds, checked) {
      const wanted = new Set(documentIds);
      const found = await statements.lookup(database, documentIds.map(documentKey), checked);
      return found.filter(({ documentId }) => wanted.has(documentId)).reverse();
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
      const found = await statements.reader.read(database, [...wanted.values()], checked);
      return found.filter(({ documentId, sequence }) => wanted.get(documentId) === sequence);
    },

    async *ofDocument(documentId, after, before, checked) {
      const range = { order: "newest first", from: before, limit: PAGE } as const;
      for await (const proofs of statements.pages(database, documentKey(documentId), range, checked)) {
        const newer = proofs.filter(({ sequence }) => sequence > after);
        yield newer.filter((proof) => proof.documentId === documentId);
        if (newer.length < proofs.length) return;
      }
    },

    async ofContent(hash, limit, checked) {
      const range = { order: "newest first", from: Infinity, limit } as const;
      const { value: newest } = await statements.pages(database, keyOf(hash), range, checked).next();
      return (newest ?? []).filter((proof) => equalBytes(proof.hash, hash));
    },

    async proofsAfter(sequence, limit, checked) {
      const { proofs, last } = await checked.proofsAfter(sequence, limit);
      // Other requests are served between the entries and their anchors.
      await yieldToEventLoop();
      return { proofs: await statements.reader.withAnchors(database, proofs, checked), last };
    },
  };
}
