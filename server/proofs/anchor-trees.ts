import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type MerkleTree, merkleTree } from "../journal/integrity/merkle.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchors.ts";
import type { AnchorStore } from "./anchor-store.ts";
import type { AcceptedProof, Proof, StoredProof } from "./proof.ts";

/** Maximum number of cached trees: a thousand leaves take about a quarter of a megabyte. */
const KEPT = 64;

/** The Merkle trees of batches: the newest are cached, others are rebuilt from the journal on demand. */
export class AnchorTrees {
  readonly #anchors: Pick<AnchorStore, "leaves">;
  /** By anchor, the least recently used first. */
  readonly #kept = new Map<number, MerkleTree>();
  /** Trees that are being rebuilt, by anchor: all proofs of a page need the same one. */
  readonly #rebuilding = new Map<number, Promise<MerkleTree>>();

  constructor(anchors: Pick<AnchorStore, "leaves">) {
    this.#anchors = anchors;
  }

  keep(anchorId: number, tree: MerkleTree): void {
    this.#kept.delete(anchorId);
    this.#kept.set(anchorId, tree);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  /** Returns the tree of an anchor; `undefined` for an anchor of a single hash. */
  async of(anchorId: number, { size }: AnchorContent): Promise<MerkleTree | undefined> {
    if (size === 0) return undefined;
    const tree = this.#kept.get(anchorId) ?? (await this.#rebuilt(anchorId));
    this.keep(anchorId, tree);
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
