import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { Database } from "../journal/engine/database.ts";
import { entriesWith, newestOfEach } from "../journal/index/proof-index.ts";
import { documentKey } from "../journal/index/proof-key.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { equalBytes } from "../kit/bytes.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { ProofReader, type StoredProof } from "../proofs/index.ts";

/** Proofs of a document that are read at a time. */
const PAGE = 100;

/** The records of documents. */
export type RecoveryStore = ReturnType<typeof recoveryStore>;

export function recoveryStore(database: Database, key: JournalKey | undefined) {
  const reader = new ProofReader(database, key);
  return {
    /** Returns the proofs of some documents, newest first. */
    async ofDocuments(documentIds: readonly string[], checked: VerifiedEntries): Promise<StoredProof[]> {
      const wanted = new Set(documentIds);
      const found = await reader.read(await entriesWith(database, "document", documentIds.map(documentKey)), checked);
      return found.filter(({ documentId }) => wanted.has(documentId)).reverse();
    },

    /**
     * Returns the newest entries before another one that have the index key of a document, as far as there is one; of
     * a proof of the document, unless another one has the same key by chance or was changed.
     */
    async newestOfEach(documentIds: readonly string[], before: number): Promise<Map<string, number>> {
      const newest = await newestOfEach(database, "document", documentIds.map(documentKey), before);
      return new Map(
        documentIds.flatMap((id) => {
          const number = newest.get(documentKey(id));
          return number === undefined ? [] : [[id, number] as const];
        }),
      );
    },

    /** Returns the proofs of some entries that belong to these documents. */
    async ofEntries(wanted: ReadonlyMap<string, number>, checked: VerifiedEntries): Promise<StoredProof[]> {
      const found = await reader.read([...wanted.values()], checked);
      return found.filter(({ documentId, sequence }) => wanted.get(documentId) === sequence);
    },

    /** Returns the proofs of a document between two entries in pages, newest first. */
    async *ofDocument(
      documentId: string,
      after: number,
      before: number,
      checked: VerifiedEntries,
    ): AsyncGenerator<StoredProof[], void> {
      const range = { order: "newest first", from: before, limit: PAGE } as const;
      for await (const proofs of reader.pages({ documentId }, range, checked)) {
        const newer = proofs.filter(({ sequence }) => sequence > after);
        yield newer.filter((proof) => proof.documentId === documentId);
        if (newer.length < proofs.length) return;
      }
    },

    /** Returns the newest proofs of a content, newest first. */
    async ofContent(hash: Uint8Array, limit: number, checked: VerifiedEntries): Promise<StoredProof[]> {
      const range = { order: "newest first", from: Infinity, limit } as const;
      const { value: newest } = await reader.pages({ hash }, range, checked).next();
      return (newest ?? []).filter((proof) => equalBytes(proof.hash, hash));
    },

    /**
     * Returns the proofs among the entries after one.
     * @returns also the last of these entries; `undefined` when there is none
     */
    async proofsAfter(
      sequence: number,
      limit: number,
      checked: VerifiedEntries,
    ): Promise<{ readonly proofs: StoredProof[]; readonly last: number | undefined }> {
      const { proofs, last } = await checked.proofsAfter(sequence, limit);
      // Other requests are served between the entries and their anchors.
      await yieldToEventLoop();
      return { proofs: await reader.withAnchors(proofs, checked), last };
    },
  };
}
