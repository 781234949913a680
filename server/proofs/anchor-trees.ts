import { type MerkleTree, merkleTree } from "../journal/integrity/merkle.ts";
import type { AnchorContent } from "../chain/contracts/anchor.ts";
import type { AnchorStore } from "./stores.ts";

/** Trees that are kept: a thousand leaves take about a quarter of a megabyte. */
const KEPT = 64;

/** The Merkle trees of batches: the newest in memory, the others built again from the journal when they are asked for. */
export class AnchorTrees {
  readonly #anchors: Pick<AnchorStore, "leaves">;
  /** By anchor, the one longest unused first. */
  readonly #kept = new Map<number, MerkleTree>();

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

  /** `undefined` for an anchor of a hash that is alone. */
  async of(anchorId: number, { size }: AnchorContent): Promise<MerkleTree | undefined> {
    if (size === 0) return undefined;
    const tree = this.#kept.get(anchorId) ?? merkleTree(await this.#anchors.leaves(anchorId));
    this.keep(anchorId, tree);
    return tree;
  }
}
