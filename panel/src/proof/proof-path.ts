import { sha256 } from "@noble/hashes/sha2.js";
import { fromHex, leafOf, rootOf, toHex } from "../../../verifier/verify.mjs";
import type { ParsedProof } from "./parsed-proof.ts";

/** A pair of nodes and their hash. All values are `0x` hex. */
export interface Pair {
  /** The node on the path. */
  readonly node: string;
  readonly sibling: string;
  /** Whether the node is left of its sibling in the tree. */
  readonly isLeft: boolean;
  /** keccak-256 of the two, the smaller first, computed here. */
  readonly parent: string;
}

/** The path from a document's hash to the anchored hash, recomputed from the document's data in the proof. */
export interface ProofPath {
  /** `0x` hex, as computed; equals the proof's own when `isRecordHashValid`. */
  readonly recordHash: string;
  readonly isRecordHashValid: boolean;
  /** `undefined` for a recorded hash that was anchored alone. */
  readonly leaf: string | undefined;
  readonly isLeafValid: boolean;
  /** From the leaf up. */
  readonly pairs: readonly Pair[];
  /** The end of the path. */
  readonly end: string;
  /** The anchored hash according to the proof. */
  readonly claimed: string;
}

/**
 * Computes the path of a proof.
 * @param size Number of hashes under the root, if it is known: the sides are then those of the tree
 */
export function pathOf(
  { documentId, timestamp, type, documentHash, recordHash, merkle }: ParsedProof,
  size = merkle?.size,
): ProofPath {
  const computed = sha256(new TextEncoder().encode(`${documentId}${timestamp}${type}${documentHash}`));
  const record = { recordHash: prefixed(computed), isRecordHashValid: toHex(computed) === recordHash };
  if (merkle === undefined) {
    return {
      ...record,
      leaf: undefined,
      isLeafValid: true,
      pairs: [],
      end: record.recordHash,
      claimed: `0x${recordHash}`,
    };
  }
  const leaf = prefixed(leafOf(computed));
  const sides = sidesOf(merkle.index, merkle.path.length, size);
  const pairs: Pair[] = [];
  let node = leaf;
  for (const [level, sibling] of merkle.path.entries()) {
    const parent = prefixed(rootOf(bytesOf(node), [bytesOf(sibling)]));
    pairs.push({ node, sibling, isLeft: sides[level] ?? true, parent });
    node = parent;
  }
  return { ...record, leaf, isLeafValid: leaf === merkle.leaf, pairs, end: node, claimed: merkle.root };
}

/** Returns the side of the path at each pair. A node without a sibling moves up unchanged, and makes no pair. */
function sidesOf(index: number, pairs: number, size: number | undefined): boolean[] {
  const sides: boolean[] = [];
  let position = index;
  for (let width = size ?? 2 ** pairs; width > 1; width = Math.ceil(width / 2)) {
    if ((position ^ 1) < width) sides.push(position % 2 === 0);
    position = Math.floor(position / 2);
  }
  return sides;
}

function prefixed(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

function bytesOf(hex: string): Uint8Array {
  return fromHex(hex.slice(2));
}
