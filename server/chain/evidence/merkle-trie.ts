import { RLP } from "@ethereumjs/rlp";
import { getBytes, keccak256 } from "ethers";

/** A Merkle-Patricia trie, as blocks keep their transactions and receipts in. */
export interface MerkleTrie {
  readonly root: Uint8Array;
  /** The encoded nodes on the way from the root to the value of a key: what proves it. */
  proof(key: Uint8Array): Uint8Array[];
}

type Reference = Uint8Array | Node;
type Node = Reference[];

/** A value with what is left of its key, a half-byte each. */
interface Entry {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

const NOTHING = new Uint8Array();
const HASH_LENGTH = 32;
const BRANCHES = 16;

/** The trie of a list: the keys are the RLP of the places. */
export function listTrie(values: readonly Uint8Array[]): MerkleTrie {
  return merkleTrie(values.map((value, index) => [listKey(index), value]));
}

/** The key of a place in a list's trie. */
export function listKey(index: number): Uint8Array {
  return RLP.encode(index);
}

/** Builds the trie of keys, each different, and their values, none empty. */
export function merkleTrie(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): MerkleTrie {
  const all = entries.map(([key, value]) => ({ nibbles: nibblesOf(key), value }));
  return {
    root: keccak(RLP.encode(build(all) ?? NOTHING)),
    proof: (key) => pathTo(all, nibblesOf(key)),
  };
}

/** The node over entries; `undefined` over none. */
function build(entries: readonly Entry[]): Node | undefined {
  const [first, ...others] = entries;
  if (first === undefined) return undefined;
  if (others.length === 0) return [packed(first.nibbles, true), first.value];
  const shared = sharedLength(entries);
  if (shared > 0) {
    const child = build(entries.map((entry) => without(entry, shared)));
    return [packed(first.nibbles.slice(0, shared), false), reference(child)];
  }
  const ending = entries.find(({ nibbles }) => nibbles.length === 0)?.value ?? NOTHING;
  return [...Array.from({ length: BRANCHES }, (_, nibble) => reference(build(below(entries, nibble)))), ending];
}

/** Short nodes stand in their parent as they are, the others by their hash. */
function reference(node: Node | undefined): Reference {
  if (node === undefined) return NOTHING;
  const encoded = RLP.encode(node);
  return encoded.length < HASH_LENGTH ? node : keccak(encoded);
}

function pathTo(all: readonly Entry[], key: readonly number[]): Uint8Array[] {
  const proof: Uint8Array[] = [];
  let entries = all;
  let rest = key;
  for (;;) {
    const encoded = RLP.encode(build(entries) ?? NOTHING);
    // A short node came with its parent.
    if (proof.length === 0 || encoded.length >= HASH_LENGTH) proof.push(encoded);
    const prefix = entries[0]?.nibbles.slice(0, sharedLength(entries)) ?? [];
    if (entries.length === 0 || prefix.some((nibble, index) => rest[index] !== nibble))
      throw new RangeError("The trie does not have the key");
    rest = rest.slice(prefix.length);
    if (entries.length === 1 && rest.length === 0) return proof;
    entries = entries.map((entry) => without(entry, prefix.length));
    // An extension ends here; the branch that follows is a node of its own.
    if (prefix.length > 0) continue;
    const [next] = rest;
    if (next === undefined) {
      if (entries.some(({ nibbles }) => nibbles.length === 0)) return proof;
      throw new RangeError("The trie does not have the key");
    }
    entries = below(entries, next);
    rest = rest.slice(1);
  }
}

/** The entries behind one branch. */
function below(entries: readonly Entry[], nibble: number): Entry[] {
  return entries.filter(({ nibbles }) => nibbles[0] === nibble).map((entry) => without(entry, 1));
}

function without({ nibbles, value }: Entry, count: number): Entry {
  return { nibbles: nibbles.slice(count), value };
}

/** How many half-bytes all keys begin with. */
function sharedLength(entries: readonly Entry[]): number {
  const [first, ...others] = entries;
  if (first === undefined) return 0;
  const end = first.nibbles.findIndex((nibble, index) => others.some(({ nibbles }) => nibbles[index] !== nibble));
  return end === -1 ? first.nibbles.length : end;
}

function nibblesOf(key: Uint8Array): number[] {
  return [...key].flatMap((byte) => [byte >> 4, byte & 15]);
}

/** Half-bytes as bytes, after a mark that says whether their number is odd and whether a value follows. */
function packed(nibbles: readonly number[], isLeaf: boolean): Uint8Array {
  const mark = isLeaf ? 2 : 0;
  const even = nibbles.length % 2 === 0 ? [mark, 0, ...nibbles] : [mark + 1, ...nibbles];
  return Uint8Array.from(
    { length: even.length / 2 },
    (_, index) => ((even[2 * index] ?? 0) << 4) | (even[2 * index + 1] ?? 0),
  );
}

function keccak(bytes: Uint8Array): Uint8Array {
  return getBytes(keccak256(bytes));
}
