import { createKeccak } from "hash-wasm";
import { MerkleTree as Tree } from "merkletreejs";
import { MAX_TREE_SIZE } from "../../kit/tree-size.ts";

const HASH_LENGTH = 32;

/**
 * The same function as keccak256 of the package of that name, five times as fast: a tree needs three calls for each
 * hash.
 */
const hasher = await createKeccak(256);
const keccak = (data: Uint8Array): Uint8Array => hasher.init().update(data).digest("binary");
const fastKeccak256 = (data: Uint8Array): Buffer => Buffer.from(keccak(data));

/** A Merkle tree over hashes, as the ProofAnchor contract verifies it. Callers must not change the returned arrays. */
export interface MerkleTree {
  readonly root: Uint8Array;
  /** Number of hashes in the tree. */
  readonly size: number;
  /** Returns the tree's node for the hash at `index`: the hash, hashed twice. */
  leaf(index: number): Uint8Array;
  /** Returns the audit path of the hash at `index`: its siblings from the leaf's level up to the root. */
  path(index: number): Uint8Array[];
}

/**
 * Builds the tree over `hashes`, in their order. A node without a sibling moves up as it is, and so does the
 * only leaf of a tree of one, which is its root.
 */
export function merkleTree(hashes: readonly Uint8Array[]): MerkleTree {
  assertSize(hashes);
  // The leaves are hashed here: the library would hash them once only.
  const tree = new Tree(hashes.map(leafOf), fastKeccak256, { sortPairs: true });
  const layers = tree.getLayers();
  const nodeAt = (index: number): Uint8Array => {
    const node = layers[0]?.[index];
    if (node === undefined) throw new RangeError(`The tree has no hash ${index}, it has ${hashes.length}`);
    return node;
  };
  return {
    root: tree.getRoot(),
    size: hashes.length,
    leaf: nodeAt,
    path(index) {
      nodeAt(index);
      // Pairs are adjacent; the last node of an odd layer has no sibling and moves up.
      return layers.map((layer, level) => layer[(index >> level) ^ 1]).filter((node) => node !== undefined);
    },
  };
}

/** The root of a tree that grows: it keeps one node for each level, and takes half the time of {@link merkleTree}. */
export class RunningRoot {
  /** The complete subtrees, the lowest first; a level without one has none. */
  readonly #nodes: (Uint8Array | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @throws RangeError for a hash of another length */
  add(hash: Uint8Array): void {
    let node = leafBytes(hash);
    let level = 0;
    for (; this.#nodes[level] !== undefined; level += 1) {
      node = nodeOver(this.#nodes[level], node);
      this.#nodes[level] = undefined;
    }
    this.#nodes[level] = node;
    this.#size += 1;
  }

  /** The root over the hashes so far; `undefined` over none. */
  value(): Uint8Array | undefined {
    // A node without a sibling moves up.
    return this.#nodes.reduce((above, node) => (above === undefined ? node : nodeOver(node, above)), undefined);
  }
}

/**
 * Computes the root of the tree over `hashes`, without the tree.
 * @throws RangeError as `merkleTree` does
 */
export function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  assertSize(hashes);
  const running = new RunningRoot();
  for (const hash of hashes) running.add(hash);
  const root = running.value();
  if (root === undefined) throw new RangeError("a tree without hashes has no root");
  return root;
}

/** Computes the node over two siblings; one that is alone moves up as it is. */
function nodeOver(left: Uint8Array | undefined, right: Uint8Array): Uint8Array {
  if (left === undefined) return right;
  const isInOrder = isBefore(left, right);
  pair.set(isInOrder ? left : right, 0);
  pair.set(isInOrder ? right : left, HASH_LENGTH);
  return keccak(pair);
}

const pair = Buffer.allocUnsafe(2 * HASH_LENGTH);

/** Returns whether `path` proves that `hash` is in the tree under `root`. Needs nothing but its arguments. */
export function verifyPath(hash: Uint8Array, path: readonly Uint8Array[], root: Uint8Array): boolean {
  if (hash.length !== HASH_LENGTH || path.some((sibling) => sibling.length !== HASH_LENGTH)) return false;
  const end = path.reduce<Uint8Array>(
    (node, sibling) => keccak(Buffer.concat(sortPair(node, sibling))),
    leafBytes(hash),
  );
  return Buffer.compare(end, root) === 0;
}

function assertSize({ length }: readonly Uint8Array[]): void {
  if (length === 0 || length > MAX_TREE_SIZE)
    throw new RangeError(`A tree has 1 to ${MAX_TREE_SIZE} hashes, not ${length}`);
}

function leafOf(hash: Uint8Array): Buffer {
  return Buffer.from(leafBytes(hash));
}

function leafBytes(hash: Uint8Array): Uint8Array {
  if (hash.length !== HASH_LENGTH) throw new RangeError(`A hash has ${HASH_LENGTH} bytes, not ${hash.length}`);
  // Hashed twice, so that no inner node, which is hashed once from 64 bytes, is a valid leaf.
  return keccak(keccak(hash));
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  // The first byte usually differs.
  const first = a[0] ?? 0;
  const other = b[0] ?? 0;
  return first === other ? Buffer.compare(a, b) < 0 : first < other;
}

function sortPair(a: Uint8Array, b: Uint8Array): [Uint8Array, Uint8Array] {
  return Buffer.compare(a, b) < 0 ? [a, b] : [b, a];
}
