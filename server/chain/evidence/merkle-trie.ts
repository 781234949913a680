import { type NestedUint8Array, RLP } from "@ethereumjs/rlp";
import { getBytes, keccak256 } from "ethers";

/**
 * A Merkle-Patricia trie, the form in which blocks hold their transactions and receipts. It is built at once: a library
 * that inserts one entry after the other (`@ethereumjs/mpt`) takes 44 ms instead of 10 for the 500 transactions of a
 * full block.
 */
export interface MerkleTrie {
  readonly root: Uint8Array;
  /**
   * Returns the encoded nodes on the path from the root to the value of a key, which prove the value.
   * @throws RangeError for a key that is not in the trie
   */
  proof(key: Uint8Array): Uint8Array[];
}

/** A node refers to its parent's encoding by its bytes when they are short, by their hash otherwise. */
type Reference = Uint8Array | readonly Reference[];

/** A node of a trie that is complete: each one is encoded and hashed once. */
interface Node {
  readonly encoded: Uint8Array;
  readonly reference: Reference;
  /** Nibbles between this node and the nibble or the value that it branches at. */
  readonly path: readonly number[];
  /** By nibble; the one child of an extension is under `undefined`. A leaf has none. */
  readonly children: ReadonlyMap<number | undefined, Node>;
}

interface Entry {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

/** Shorter nodes are part of their parent, all others are referenced by hash. */
const HASH_LENGTH = 32;
const NIBBLES = 16;
const NOTHING = new Uint8Array();

/** Returns the key of an index in the trie of a list. */
export function listKey(index: number): Uint8Array {
  return RLP.encode(index);
}

/** Builds the trie of a list: the keys are the RLP of the indexes, none of which begins another one. */
export function listTrie(values: readonly Uint8Array[]): MerkleTrie {
  const all = values.map((value, index) => ({ nibbles: nibblesOf(listKey(index)), value }));
  const root = all.length === 0 ? undefined : nodeOf(all, 0);
  return {
    root: getBytes(keccak256(root?.encoded ?? RLP.encode(NOTHING))),
    proof(key) {
      const path = root && pathTo(root, nibblesOf(key));
      if (path === undefined) throw new RangeError("The trie does not have the key");
      return path.map(({ encoded }) => encoded).filter(({ length }, depth) => depth === 0 || length >= HASH_LENGTH);
    },
  };
}

/** Builds the node of entries that have their nibbles before `depth` in common. */
function nodeOf(entries: readonly Entry[], depth: number): Node {
  const [first, ...others] = entries;
  if (first === undefined) throw new RangeError("A node has entries");
  if (others.length === 0) {
    const path = first.nibbles.slice(depth);
    return node([compact(path, true), first.value], { path, children: new Map() });
  }
  let common = depth;
  while (others.every(({ nibbles }) => common < nibbles.length && nibbles[common] === first.nibbles[common]))
    common += 1;
  if (common > depth) {
    const path = first.nibbles.slice(depth, common);
    const child = nodeOf(entries, common);
    return node([compact(path, false), child.reference], { path, children: new Map([[undefined, child]]) });
  }
  const groups = Map.groupBy(entries, ({ nibbles }) => nibbles[depth]);
  const children = new Map([...groups].map(([nibble, group]) => [nibble, nodeOf(group, depth + 1)]));
  const references = Array.from({ length: NIBBLES }, (_, nibble) => children.get(nibble)?.reference ?? NOTHING);
  return node([...references, NOTHING], { path: [], children });
}

function node(items: readonly Reference[], rest: Pick<Node, "path" | "children">): Node {
  const encoded = encode(items);
  return { ...rest, encoded, reference: encoded.length < HASH_LENGTH ? items : getBytes(keccak256(encoded)) };
}

function encode(items: readonly Reference[]): Uint8Array {
  return RLP.encode(items.map(mutable));
}

function mutable(item: Reference): Uint8Array | NestedUint8Array {
  return item instanceof Uint8Array ? item : item.map(mutable);
}

/** @returns the nodes from one down to the value of a key; `undefined` when there is no value */
function pathTo(start: Node, nibbles: readonly number[]): Node[] | undefined {
  const path: Node[] = [];
  let at: Node | undefined = start;
  let left = nibbles;
  while (at !== undefined) {
    path.push(at);
    const here: Node = at;
    if (!here.path.every((nibble, index) => left[index] === nibble)) return undefined;
    left = left.slice(here.path.length);
    if (left.length === 0 && here.children.size === 0) return path;
    const next: Node | undefined = here.children.get(undefined);
    at = next ?? (left.length === 0 ? undefined : here.children.get(left[0]));
    if (next === undefined) left = left.slice(1);
  }
  return undefined;
}

function nibblesOf(key: Uint8Array): number[] {
  return Array.from(key).flatMap((byte) => [byte >> 4, byte & 15]);
}

/** Encodes a path with the flags of its node: whether the number of nibbles is odd, and whether the node is a leaf. */
function compact(path: readonly number[], isLeaf: boolean): Uint8Array {
  const isOdd = path.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const all = isOdd ? [flag, ...path] : [flag, 0, ...path];
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, index) => 16 * (all[2 * index] ?? 0) + (all[2 * index + 1] ?? 0),
  );
}

/** Bytes in a block's trie with the trie's nodes that prove them. */
export interface ProvenBytes {
  readonly raw: Uint8Array;
  /** From the root down. */
  readonly proof: readonly Uint8Array[];
}
