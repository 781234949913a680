import { newestOfEach, someWith } from "../journal/index/proof-index.ts";
import { documentKey, keyOf } from "../journal/index/proof-key.ts";
import { equalBytes } from "../kit/bytes.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { proofPages, readProofs, readProofsWith, type StoredProof } from "../proofs/index.ts";

/** Proofs of a document that are read at a time. */
const PAGE = 100;

/** Returns the proofs of some documents, newest first. */
export async function proofsOf(documentIds: readonly string[], checked: VerifiedEntries): Promise<StoredProof[]> {
  const wanted = new Set(documentIds);
  const isWanted = ({ document_id: id }: { readonly document_id: string }): boolean => wanted.has(id);
  return (await readProofsWith(checked, "document", documentIds.map(documentKey), isWanted)).reverse();
}

/**
 * Returns the newest entries before another one that have the index key of a document, as far as there is one; of a
 * proof of the document, unless another one has the same key by chance or was changed.
 */
export async function newestOfDocuments(
  documentIds: readonly string[],
  before: number,
  checked: VerifiedEntries,
): Promise<Map<string, number>> {
  const keys = documentIds.map(documentKey);
  const newest = await checked.inSnapshot(({ database }) => newestOfEach(database, "document", keys, before));
  return new Map(
    documentIds.flatMap((id) => {
      const number = newest.get(documentKey(id));
      return number === undefined ? [] : [[id, number] as const];
    }),
  );
}

/** Returns the proofs of some entries that belong to these documents. */
export async function proofsOfEntries(
  wanted: ReadonlyMap<string, number>,
  checked: VerifiedEntries,
): Promise<StoredProof[]> {
  return readProofs(checked, [...wanted.values()], ({ document_id: id, sequence }) => wanted.get(id) === sequence);
}

/** Returns the proofs of a document between two entries in pages, newest first. */
export async function* proofsBetween(
  documentId: string,
  after: number,
  before: number,
  checked: VerifiedEntries,
): AsyncGenerator<StoredProof[], void> {
  const range = { order: "newest first", from: before, limit: PAGE } as const;
  for await (const proofs of proofPages(checked, { documentId }, range)) {
    const newer = proofs.filter(({ sequence }) => sequence > after);
    yield newer;
    if (newer.length < proofs.length) return;
  }
}

/**
 * Returns the newest proofs of a content before an entry, newest first, as far as they are under the next keys of it.
 * @returns also the entry before which the others are; `undefined` when there is none
 */
export async function newestOfHash(
  hash: Uint8Array,
  before: number,
  limit: number,
  checked: VerifiedEntries,
): Promise<{ readonly proofs: StoredProof[]; readonly next: number | undefined }> {
  return checked.inSnapshot(async (reads) => {
    const range = { order: "newest first", from: before, limit } as const;
    const numbers = await someWith(reads.database, "hash", keyOf(hash), range);
    const proofs = await readProofs(reads, numbers, (entry) => equalBytes(entry.hash, hash));
    return { proofs: proofs.reverse(), next: numbers.length < limit ? undefined : numbers[0] };
  });
}
