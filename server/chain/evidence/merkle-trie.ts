import { MerklePatriciaTrie } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { MapDB, ValueEncoding } from "@ethereumjs/util";
import { getBytes, keccak256 } from "ethers";

/** A Merkle-Patricia trie, the form in which blocks hold their transactions and receipts. */
export interface MerkleTrie {
  readonly root: Uint8Array;
  /**
   * Returns the encoded nodes on the path from the root to the value of a key, which prove the value.
   * @throws RangeError for a key that is not in the trie
   */
  proof(key: Uint8Array): Promise<Uint8Array[]>;
}

/** Shorter nodes are part of their parent, all others are referenced by hash. */
const HASH_LENGTH = 32;

/** Builds the trie of a list: the keys are the RLP of the indexes. */
export function listTrie(values: readonly Uint8Array[]): Promise<MerkleTrie> {
  return merkleTrie(values.map((value, index) => [listKey(index), value]));
}

/** Returns the key of an index in the trie of a list. */
export function listKey(index: number): Uint8Array {
  return RLP.encode(index);
}

/** Builds the trie of distinct keys and their values, none of them empty. */
export async function merkleTrie(
  entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[],
): Promise<MerkleTrie> {
  const trie = new MerklePatriciaTrie({
    db: new MapDB(),
    valueEncoding: ValueEncoding.Bytes,
    useKeyHashingFunction: (bytes) => getBytes(keccak256(bytes)),
  });
  for (const [key, value] of entries) await trie.put(key, value);
  return {
    root: trie.root(),
    async proof(key) {
      const { node, stack } = await trie.findPath(key);
      if (node === null) throw new RangeError("The trie does not have the key");
      return stack.map((each) => each.serialize()).filter(({ length }, depth) => depth === 0 || length >= HASH_LENGTH);
    },
  };
}
