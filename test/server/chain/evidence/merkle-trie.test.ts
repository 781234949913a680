import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, keccak256, toUtf8Bytes } from "ethers";
import fc from "fast-check";
import { listKey, listTrie, merkleTrie } from "../../../../server/chain/evidence/merkle-trie.ts";
import { provenValue } from "../../../../verifier/verify.mjs";

/** Different keys, also such as begin others, with values short and long. */
const entries = fc.uniqueArray(
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.uint8Array({ minLength: 1, maxLength: 60 })),
  { minLength: 1, maxLength: 60, selector: ([key]) => hexlify(key) },
);

describe("Merkle-Patricia tries", () => {
  it("have the known roots", () => {
    const root = (...all: [string, string][]) =>
      hexlify(merkleTrie(all.map(([key, value]) => [toUtf8Bytes(key), toUtf8Bytes(value)])).root);
    expect(hexlify(listTrie([]).root)).to.equal("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
    expect(root(["do", "verb"], ["dog", "puppy"], ["doge", "coin"], ["horse", "stallion"])).to.equal(
      "0x5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84",
    );
  });

  it("prove every value", () => {
    fc.assert(
      fc.property(entries, (all) => {
        const trie = merkleTrie(all);
        for (const [key, value] of all) {
          expect(provenValue(trie.root, key, trie.proof(key))).to.deep.equal(value);
        }
      }),
    );
  });

  it("prove nothing for a missing key", () => {
    fc.assert(
      fc.property(entries, fc.uint8Array({ minLength: 1, maxLength: 4 }), (all, key) => {
        fc.pre(all.every(([known]) => hexlify(known) !== hexlify(key)));
        const trie = merkleTrie(all);
        expect(() => trie.proof(key)).to.throw(RangeError);
        for (const [known] of all) {
          const proof = trie.proof(known);
          expect(() => provenValue(trie.root, key, proof)).to.throw();
        }
      }),
      { numRuns: 50 },
    );
  });

  it("prove each index of lists of any length", () => {
    for (const length of [1, 2, 16, 17, 127, 128, 129, 300]) {
      const values = Array.from({ length }, (_, index) => getBytes(keccak256(RLP.encode(index))));
      const trie = listTrie(values);
      for (const [index, value] of values.entries()) {
        expect(provenValue(trie.root, listKey(index), trie.proof(listKey(index)))).to.deep.equal(value);
      }
    }
  });
});
