import type { AnchorContent, BlockInclusion } from "../../chain/contracts/anchors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { merkleRoot, type MerkleTree, merkleTree, verifyPath } from "./merkle.ts";
import { MAX_TREE_SIZE } from "../../kit/tree-size.ts";

/** The state of an anchor: `pending` from its opening on, `failed` when its transaction cannot be mined. */
export type AnchorOutcome =
  | { readonly state: "pending" }
  | ({ readonly state: "confirmed" } & BlockInclusion)
  | { readonly state: "failed"; readonly reason: string };

/** A closed anchor. */
export interface StoredAnchor extends AnchorContent {
  readonly id: number;
  readonly transactionId: number;
  readonly outcome: AnchorOutcome;
}

/** Returns the number of recorded hashes under an anchor. */
export function hashesUnder({ size }: Pick<AnchorContent, "size">): number {
  return Math.max(1, size);
}

/**
 * Computes the content of an anchor over recorded hashes, in leaf order: a single hash as it is, several under a root.
 * @param alwaysRoot Also puts a single hash under a root
 */
export function contentOver(
  hashes: readonly Uint8Array[],
  alwaysRoot = false,
): { readonly content: AnchorContent; readonly tree: MerkleTree | undefined } {
  const [only] = hashes;
  if (hashes.length === 1 && only !== undefined && !alwaysRoot)
    return { content: { hash: only, size: 0 }, tree: undefined };
  const tree = merkleTree(hashes);
  return { content: { hash: tree.root, size: tree.size }, tree };
}

/** Returns whether the recorded hashes under an anchor, by leaf index, give the anchored hash. */
export function giveContent(hashes: readonly Uint8Array[], { hash, size }: AnchorContent): boolean {
  if (hashes.length !== hashesUnder({ size }) || hashes.length > MAX_TREE_SIZE) return false;
  return equalBytes(size === 0 ? hashes[0] : merkleRoot(hashes), hash);
}

/**
 * Returns whether a recorded hash is a leaf under an anchor.
 * @param tree The anchor's tree, built from the journal; `undefined` when there is none
 */
export function isLeafUnder(
  recordHash: Uint8Array,
  leafIndex: number,
  { hash, size }: AnchorContent,
  tree: MerkleTree | undefined,
): boolean {
  if (size === 0) return equalBytes(recordHash, hash);
  return tree !== undefined && leafIndex < tree.size && verifyPath(recordHash, tree.path(leafIndex), hash);
}
