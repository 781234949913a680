import { expect } from "chai";
import fc from "fast-check";
import keccak256 from "keccak256";
import { MAX_TREE_SIZE } from "../../../../server/kit/tree-size.ts";
import { merkleRoot, merkleTree, verifyPath } from "../../../../server/journal/integrity/merkle.ts";

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const batch = fc.array(hash, { minLength: 1, maxLength: 40 });
const batchAndIndex = batch.chain((hashes) => fc.tuple(fc.constant(hashes), fc.nat(hashes.length - 1)));

const zeros = new Uint8Array(32);

describe("merkleTree", () => {
  it("of one hash is that hash, hashed twice", () => {
    const tree = merkleTree([zeros]);
    const twice = Uint8Array.from(keccak256(keccak256(Buffer.alloc(32))));
    expect(tree.root).to.deep.equal(twice);
    expect(tree.leaf(0)).to.deep.equal(twice);
    expect(tree.path(0)).to.deep.equal([]);
    expect(tree.size).to.equal(1);
  });

  it("has the same root as merkleRoot", () => {
    fc.assert(fc.property(batch, (hashes) => Buffer.compare(merkleRoot(hashes), merkleTree(hashes).root) === 0));
    expect(() => merkleRoot([])).to.throw(RangeError, "1 to 1000");
  });

  it("rejects an empty list, too many hashes, and invalid hashes", () => {
    expect(() => merkleTree([])).to.throw(RangeError, "1 to 1000");
    expect(() => merkleTree(Array<Uint8Array>(MAX_TREE_SIZE + 1).fill(zeros))).to.throw(RangeError, "not 1001");
    expect(() => merkleTree([new Uint8Array(31)])).to.throw(RangeError, "32 bytes, not 31");
  });

  it("rejects an index out of range", () => {
    const tree = merkleTree([zeros, zeros]);
    for (const index of [-1, 2, 0.5]) {
      expect(() => tree.leaf(index)).to.throw(RangeError);
      expect(() => tree.path(index)).to.throw(RangeError);
    }
  });

  it("proves each of 1000 hashes, in at most ten steps", () => {
    const hashes = Array.from({ length: MAX_TREE_SIZE }, (_, i) => Uint8Array.from(keccak256(i + 1)));
    const tree = merkleTree(hashes);
    for (const [index, each] of hashes.entries()) {
      const path = tree.path(index);
      expect(path.length).to.be.at.most(10);
      expect(verifyPath(each, path, tree.root)).to.equal(true);
    }
  });
});

describe("verifyPath", () => {
  it("accepts each hash of a tree with its own path", () => {
    fc.assert(
      fc.property(batch, (hashes) => {
        const tree = merkleTree(hashes);
        for (const [index, each] of hashes.entries()) {
          expect(verifyPath(each, tree.path(index), tree.root)).to.equal(true);
        }
      }),
    );
  });

  it("rejects a hash that is not in the tree", () => {
    fc.assert(
      fc.property(batchAndIndex, hash, ([hashes, index], other) => {
        fc.pre(!hashes.some((each) => Buffer.compare(each, other) === 0));
        const tree = merkleTree(hashes);
        expect(verifyPath(other, tree.path(index), tree.root)).to.equal(false);
      }),
    );
  });

  it("rejects a path, hash or root with one changed bit", () => {
    fc.assert(
      fc.property(batchAndIndex, fc.nat(), fc.nat(255), ([hashes, index], at, bit) => {
        const tree = merkleTree(hashes);
        const parts = [hashes[index]!.slice(), tree.root.slice(), ...tree.path(index)];
        const part = parts[at % parts.length]!;
        part[bit >> 3]! ^= 1 << (bit & 7);
        const [changed, root, ...path] = parts as [Uint8Array, Uint8Array, ...Uint8Array[]];
        expect(verifyPath(changed, path, root)).to.equal(false);
      }),
    );
  });

  it("rejects a path that is longer or shorter", () => {
    fc.assert(
      fc.property(batchAndIndex, hash, ([hashes, index], extra) => {
        const tree = merkleTree(hashes);
        const path = tree.path(index);
        expect(verifyPath(hashes[index]!, [...path, extra], tree.root)).to.equal(false);
        if (path.length > 0) expect(verifyPath(hashes[index]!, path.slice(1), tree.root)).to.equal(false);
      }),
    );
  });

  it("rejects leaves and inner nodes in place of hashes", () => {
    fc.assert(
      fc.property(batchAndIndex, ([hashes, index]) => {
        const tree = merkleTree(hashes);
        const path = tree.path(index);
        expect(verifyPath(tree.leaf(index), path, tree.root)).to.equal(false);
        expect(verifyPath(tree.root, [], tree.root)).to.equal(false);
        for (const [level, node] of path.entries()) {
          expect(verifyPath(node, path.slice(level + 1), tree.root)).to.equal(false);
        }
      }),
    );
  });

  it("rejects values that are not 32 bytes long", () => {
    const tree = merkleTree([zeros, zeros]);
    expect(verifyPath(new Uint8Array(31), tree.path(0), tree.root)).to.equal(false);
    expect(verifyPath(zeros, [new Uint8Array(33)], tree.root)).to.equal(false);
    expect(verifyPath(zeros, tree.path(0), new Uint8Array(0))).to.equal(false);
  });
});
