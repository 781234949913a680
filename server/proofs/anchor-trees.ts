import { type AcceptedProof, isSameRecord, type NewProof, type Proof, type StoredProof } from "./proof.ts";
import { SealbookError } from "../errors.ts";
import { equalBytes } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type MerkleTree, merkleTree } from "../journal/integrity/merkle.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchors.ts";
import type { AnchorStore } from "./anchor-store.ts";

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

/** Maximum number of cached trees: a thousand leaves take about a quarter of a megabyte. */
const KEPT = 64;

/** The Merkle trees of batches: the newest are cached, others are rebuilt from the journal on demand. */
export class AnchorTrees {
  readonly #anchors: Pick<AnchorStore, "leaves">;
  /** By anchor, the least recently used first. */
  readonly #cache = new Map<number, MerkleTree>();
  /** Trees that are being rebuilt, by anchor: all proofs of a page need the same one. */
  readonly #rebuilding = new Map<number, Promise<MerkleTree>>();

  constructor(anchors: Pick<AnchorStore, "leaves">) {
    this.#anchors = anchors;
  }

  add(anchorId: number, tree: MerkleTree): void {
    this.#cache.delete(anchorId);
    this.#cache.set(anchorId, tree);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= KEPT) break;
      this.#cache.delete(oldest);
    }
  }

  /**
   * Returns the tree of an anchor; `undefined` for an anchor of a single hash.
   * @throws SealbookError `journal_damaged` when its leaves do not give what is anchored
   */
  async of(anchorId: number, { hash, size }: AnchorContent): Promise<MerkleTree | undefined> {
    if (size === 0) return undefined;
    const tree = this.#cache.get(anchorId) ?? (await this.#rebuilt(anchorId));
    if (!equalBytes(tree.root, hash))
      throw new SealbookError("journal_damaged", `the proofs of anchor ${anchorId} do not give what is anchored`);
    this.add(anchorId, tree);
    return tree;
  }

  #rebuilt(anchorId: number): Promise<MerkleTree> {
    const running = this.#rebuilding.get(anchorId);
    if (running !== undefined) return running;
    const rebuilding = this.#rebuild(anchorId).finally(() => this.#rebuilding.delete(anchorId));
    this.#rebuilding.set(anchorId, rebuilding);
    return rebuilding;
  }

  async #rebuild(anchorId: number): Promise<MerkleTree> {
    const leaves = await this.#anchors.leaves(anchorId);
    // A tree takes milliseconds: other requests are served between those of one request.
    await yieldToEventLoop();
    return merkleTree(leaves);
  }

  /** Adds the inclusion proof to a confirmed stored proof. */
  async complete(proof: StoredProof): Promise<Proof> {
    const { anchorId, outcome, content } = proof;
    const isIncluded = outcome.state === "confirmed" && content !== undefined;
    return withInclusionProof(proof, outcome, isIncluded ? await this.of(anchorId, content) : undefined);
  }
}

/** @param tree The tree of its anchor, once it is confirmed */
export function withInclusionProof(proof: AcceptedProof, outcome: AnchorOutcome, tree: MerkleTree | undefined): Proof {
  const { documentId, hash, recordHash, metadata, acceptedAt, leafIndex: index } = proof;
  const merkle = tree && { root: tree.root, leaf: tree.leaf(index), index, path: tree.path(index) };
  return { documentId, hash, recordHash, metadata, acceptedAt, outcome, merkle };
}
