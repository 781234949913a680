import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, keccak256 } from "ethers";
import fc from "fast-check";
import { listKey, listTrie } from "../../../../server/chain/evidence/merkle-trie.ts";
import { provenValue } from "../../../../verifier/verify.mjs";

/** Lists of values short and long. */
const lists = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 300 });

describe("Merkle-Patricia tries", () => {
  it("have the known root of an empty list", () => {
    expect(hexlify(listTrie([]).root)).to.equal("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });

  it("prove every value", () => {
    fc.assert(
      fc.property(lists, (values) => {
        const trie = listTrie(values);
        for (const [index, value] of values.entries())
          expect(provenValue(trie.root, listKey(index), trie.proof(listKey(index)))).to.deep.equal(value);
      }),
    );
  });

  it("prove nothing for a missing key", () => {
    fc.assert(
      fc.property(lists, fc.nat(1_000), (values, more) => {
        const trie = listTrie(values);
        const key = listKey(values.length + more);
        expect(() => trie.proof(key)).to.throw(RangeError);
        for (const index of values.keys()) {
          const proof = trie.proof(listKey(index));
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
