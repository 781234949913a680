import { hash } from "node:crypto";
import { equalBytes } from "../../kit/bytes.ts";
import type { JournalHead } from "./entry-chain.ts";

/**
 * A Merkle tree (RFC 6962, section 2.1) over the journal's digests at every {@link ENTRIES_PER_BLOCK}th entry. A
 * checkpoint on chain covers the tree and the digest of its entry: so a single entry is checked against the checkpoint
 * with the entries of its block and an audit path, whatever the length of the journal.
 */

/** Number of entries of a block: the tree has one leaf for each complete block. */
export const ENTRIES_PER_BLOCK = 128;

/** A node. Those of level 0 are the digests of the blocks, those above are over two nodes of the level below. */
export interface TreeNode {
  readonly level: number;
  readonly number: number;
  readonly digest: Uint8Array;
}

/** The position of a node. */
export type NodePosition = Omit<TreeNode, "digest">;

/** Returns the number of complete blocks of a journal. */
export function blocksIn(sequence: number): number {
  return Math.floor(sequence / ENTRIES_PER_BLOCK);
}

/** Returns the roots of the complete subtrees over the first blocks, from left to right. */
export function subtreesOf(blocks: number): NodePosition[] {
  const positions: NodePosition[] = [];
  let left = blocks;
  for (let first = 0; left > 0;) {
    const level = Math.floor(Math.log2(left));
    const size = 2 ** level;
    positions.push({ level, number: first / size });
    first += size;
    left -= size;
  }
  return positions;
}

/** Returns the positions of the nodes that a block completes, its own first. */
export function completedBy(block: number): NodePosition[] {
  const positions = [{ level: 0, number: block }];
  for (let level = 1, number = block; number % 2 === 1; level += 1) {
    number = (number - 1) / 2;
    positions.push({ level, number });
  }
  return positions;
}

/** Returns the positions of the nodes below one. */
export function below({ level, number }: NodePosition): NodePosition[] {
  return level === 0 ? [] : [2 * number, 2 * number + 1].map((each) => ({ level: level - 1, number: each }));
}

/** Computes the node over the block with a digest. */
export function leafHash(digest: Uint8Array): Uint8Array {
  return sha256(LEAF, digest);
}

/** Computes the node over two nodes. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/** Computes the root over subtrees, from left to right. */
export function rootOver(subtrees: readonly Uint8Array[]): Uint8Array {
  const [last, ...others] = subtrees.toReversed();
  return last === undefined ? sha256() : others.reduce((right, left) => nodeHash(left, right), last);
}

/** Computes the content of a checkpoint, which goes on chain. */
export function checkpointHash(root: Uint8Array, { digest }: Pick<JournalHead, "digest">): Uint8Array {
  return sha256(CHECKPOINT, root, digest);
}

/** A node over blocks; that of a single block is its leaf hash, not the stored digest. */
export function hashOfNode({ level, digest }: Pick<TreeNode, "level" | "digest">): Uint8Array {
  return level === 0 ? leafHash(digest) : digest;
}

/** Returns the positions of the nodes with which {@link isUnder} checks a block, among the first `blocks`. */
export function auditPositions(block: number, blocks: number): NodePosition[] {
  const top = subtreeOver(block, blocks).level;
  const siblings = Array.from({ length: top }, (_, level) => ({ level, number: sibling(ancestor(block, level)) }));
  return [{ level: 0, number: block }, ...siblings, ...subtreesOf(blocks)];
}

/**
 * Returns whether the digest of a block is in the tree with a root.
 * @param node Returns a stored node, which is not trusted; throws when it is missing
 */
export function isUnder(
  { block, blocks, root }: { readonly block: number; readonly blocks: number; readonly root: Uint8Array },
  node: (position: NodePosition) => Uint8Array,
): boolean {
  const top = subtreeOver(block, blocks);
  let computed = leafHash(node({ level: 0, number: block }));
  for (let level = 0; level < top.level; level += 1) {
    const number = ancestor(block, level);
    const position = { level, number: sibling(number) };
    const other = hashOfNode({ level, digest: node(position) });
    computed = number % 2 === 0 ? nodeHash(computed, other) : nodeHash(other, computed);
  }
  const subtrees = subtreesOf(blocks).map((position) =>
    isSame(position, top) ? computed : hashOfNode({ level: position.level, digest: node(position) }),
  );
  return equalBytes(rootOver(subtrees), root);
}

/** The growing tree: stores the complete subtrees only. */
export class DigestTree {
  readonly #subtrees: { readonly level: number; readonly number: number; readonly hash: Uint8Array }[];

  /** @param subtrees The nodes at {@link subtreesOf} of the blocks so far */
  constructor(subtrees: readonly TreeNode[] = []) {
    this.#subtrees = subtrees.map((node) => ({ level: node.level, number: node.number, hash: hashOfNode(node) }));
  }

  /** Adds the next block; returns the new nodes, with the block's own. */
  add(digest: Uint8Array): TreeNode[] {
    const left = this.#subtrees.at(-1);
    const number = left === undefined ? 0 : (left.number + 1) * 2 ** left.level;
    const added: TreeNode[] = [{ level: 0, number, digest }];
    let node = { level: 0, number, hash: leafHash(digest) };
    for (let last = left; last?.level === node.level; last = this.#subtrees.at(-1)) {
      this.#subtrees.pop();
      node = { level: node.level + 1, number: Math.floor(node.number / 2), hash: nodeHash(last.hash, node.hash) };
      added.push({ level: node.level, number: node.number, digest: node.hash });
    }
    this.#subtrees.push(node);
    return added;
  }

  get root(): Uint8Array {
    return rootOver(this.#subtrees.map(({ hash: each }) => each));
  }
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const CHECKPOINT = Uint8Array.of(2);

function subtreeOver(block: number, blocks: number): NodePosition {
  const found = subtreesOf(blocks).find(({ level, number }) => ancestor(block, level) === number);
  if (found === undefined) throw new RangeError(`block ${block} is not among the first ${blocks}`);
  return found;
}

function ancestor(block: number, level: number): number {
  return Math.floor(block / 2 ** level);
}

function sibling(number: number): number {
  return number % 2 === 0 ? number + 1 : number - 1;
}

function isSame(a: NodePosition, b: NodePosition): boolean {
  return a.level === b.level && a.number === b.number;
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash("sha256", Buffer.concat(parts), "buffer");
}
