import { type AcceptedProof, isSameRecord, type NewProof } from "./proof.ts";

/** The result of a request for a proof: the first proof of the same record, or a new one. */
export interface Acceptance {
  readonly proof: AcceptedProof;
  readonly isNew: boolean;
}

/** Leaf indexes for requests, and their additions to the batch. */
export interface LeafAssignment {
  /** In the order of the requests. */
  readonly accepted: readonly Acceptance[];
  /** Proofs to be written. */
  readonly added: readonly AcceptedProof[];
  /** Recorded hashes that are new to the batch, by leaf index. */
  readonly hashes: readonly Uint8Array[];
}

/**
 * Assigns a leaf index to each request. A record that is known, or that an earlier request contains, gets its first
 * proof; another document with the same recorded text shares its anchor and leaf index.
 * @param known Proofs with a recorded hash of the requests, oldest first
 * @param batch The batch of new hashes, which already has `size` of them
 */
export function assignLeaves(
  requests: readonly NewProof[],
  known: readonly AcceptedProof[],
  batch: { readonly anchorId: number; readonly size: number },
): LeafAssignment {
  const byHash = new Map<string, AcceptedProof[]>();
  for (const proof of known) listOf(byHash, proof).push(proof);
  const accepted: Acceptance[] = [];
  const added: AcceptedProof[] = [];
  const hashes: Uint8Array[] = [];
  for (const request of requests) {
    const sameHash = listOf(byHash, request);
    const same = sameHash.find((proof) => isSameRecord(proof, request));
    if (same !== undefined) {
      accepted.push({ proof: same, isNew: false });
      continue;
    }
    const [first] = sameHash;
    const { anchorId, leafIndex } = first ?? { anchorId: batch.anchorId, leafIndex: batch.size + hashes.length };
    if (first === undefined) hashes.push(request.recordHash);
    const { documentId, hash, recordHash, metadata, acceptedAt } = request;
    const proof = { documentId, hash, recordHash, metadata, acceptedAt, anchorId, leafIndex };
    sameHash.push(proof);
    added.push(proof);
    accepted.push({ proof, isNew: true });
  }
  return { accepted, added, hashes };
}

/** Returns whether a request has a recorded hash without a known proof. */
export function hasNewHash(requests: readonly NewProof[], known: readonly AcceptedProof[]): boolean {
  const hashes = new Set(known.map(hashKey));
  return requests.some((request) => !hashes.has(hashKey(request)));
}

/** Returns a recorded hash as the key of a map. */
export function hashKey({ recordHash }: Pick<NewProof, "recordHash">): string {
  // Latin-1 maps every byte to one character: the cheapest text for a key.
  return Buffer.from(recordHash.buffer, recordHash.byteOffset, recordHash.byteLength).toString("latin1");
}

function listOf(byHash: Map<string, AcceptedProof[]>, proof: NewProof): AcceptedProof[] {
  const key = hashKey(proof);
  const list = byHash.get(key) ?? [];
  byHash.set(key, list);
  return list;
}
