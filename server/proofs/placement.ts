import { isSameRecord, type NewProof, type PlacedProof } from "./proof.ts";

/** What became of a request for a proof: the first proof of the same record, or a new one. */
export interface Placement {
  readonly proof: PlacedProof;
  readonly isNew: boolean;
}

/** Places for requests, and what that adds to the batch. */
export interface Placements {
  /** In the order of the requests. */
  readonly placed: readonly Placement[];
  /** Proofs to be written. */
  readonly added: readonly PlacedProof[];
  /** Recorded hashes that are new to the batch, in the order of their places. */
  readonly hashes: readonly Uint8Array[];
}

/**
 * Gives each request its place. A record that is known, or stands among the requests before it, is answered with its
 * first proof; another document whose recorded text reads alike hangs on the same anchor at the same place.
 * @param known Proofs with a recorded hash of the requests, oldest first
 * @param batch Where new hashes go; `size` are there already
 */
export function place(
  requests: readonly NewProof[],
  known: readonly PlacedProof[],
  batch: { readonly anchorId: number; readonly size: number },
): Placements {
  const byHash = new Map<string, PlacedProof[]>();
  for (const proof of known) listOf(byHash, proof).push(proof);
  const placed: Placement[] = [];
  const added: PlacedProof[] = [];
  const hashes: Uint8Array[] = [];
  for (const request of requests) {
    const alike = listOf(byHash, request);
    const same = alike.find((proof) => isSameRecord(proof, request));
    if (same !== undefined) {
      placed.push({ proof: same, isNew: false });
      continue;
    }
    const [first] = alike;
    const { anchorId, leafIndex } = first ?? { anchorId: batch.anchorId, leafIndex: batch.size + hashes.length };
    if (first === undefined) hashes.push(request.recordHash);
    const { documentId, hash, recordHash, metadata, acceptedAt } = request;
    const proof = {
      documentId,
      hash,
      recordHash,
      metadata,
      acceptedAt,
      anchorId,
      leafIndex,
      isAlike: first !== undefined,
    };
    alike.push(proof);
    added.push(proof);
    placed.push({ proof, isNew: true });
  }
  return { placed, added, hashes };
}

/** Whether a request has a recorded hash that none of the known proofs has. */
export function hasNewHash(requests: readonly NewProof[], known: readonly PlacedProof[]): boolean {
  const hashes = new Set(known.map(hashKey));
  return requests.some((request) => !hashes.has(hashKey(request)));
}

/** A recorded hash as the key of a map. */
export function hashKey({ recordHash }: Pick<NewProof, "recordHash">): string {
  // Latin-1 keeps every byte as one character: the cheapest text that can be a key.
  return Buffer.from(recordHash.buffer, recordHash.byteOffset, recordHash.byteLength).toString("latin1");
}

function listOf(byHash: Map<string, PlacedProof[]>, proof: NewProof): PlacedProof[] {
  const key = hashKey(proof);
  const list = byHash.get(key) ?? [];
  byHash.set(key, list);
  return list;
}
