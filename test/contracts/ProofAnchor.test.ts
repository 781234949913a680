import { expect } from "chai";
import fc from "fast-check";
import { merkleTree, verifyPath } from "../../server/journal/integrity/merkle.ts";
import { DEFAULT_ADMIN_ROLE, RELAYER_ROLE, deployContracts, ethers, loadFixture, noise, time } from "./fixtures.ts";

const HASH = ethers.id("document");
const NONE = [0n, 0n, 0n];

function hashes(count: number, seed = "hash"): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => noise(32, `${seed} ${i}`));
}

async function now(size: bigint): Promise<[bigint, bigint, bigint]> {
  return [BigInt(await time.latest()), BigInt(await time.latestBlock()), size];
}

describe("ProofAnchor", () => {
  it("starts with its roles", async () => {
    const { anchors, admin, relayer } = await loadFixture(deployContracts);
    expect(await anchors.RELAYER_ROLE()).to.equal(RELAYER_ROLE);
    expect(await anchors.MAX_BATCH_SIZE()).to.equal(1000);
    expect(await anchors.hasRole(DEFAULT_ADMIN_ROLE, admin)).to.equal(true);
    expect(await anchors.hasRole(RELAYER_ROLE, relayer)).to.equal(true);
    expect(await anchors.hasRole(RELAYER_ROLE, admin)).to.equal(false);
  });

  describe("anchor", () => {
    it("stores the block of the hash", async () => {
      const { anchors } = await loadFixture(deployContracts);
      expect(await anchors.anchorOf(HASH)).to.deep.equal(NONE);
      await expect(anchors.anchor(HASH)).to.emit(anchors, "Anchored").withArgs(HASH, 0);
      expect(await anchors.anchorOf(HASH)).to.deep.equal(await now(0n));
    });

    it("returns the first anchor for a repeated hash", async () => {
      const { anchors } = await loadFixture(deployContracts);
      await anchors.anchor(HASH);
      const first = await now(0n);
      await time.increase(1000);
      expect(await anchors.anchor.staticCall(HASH)).to.deep.equal(first);
      await expect(anchors.anchor(HASH)).not.to.emit(anchors, "Anchored");
      await expect(anchors.anchorBatch(HASH, 3)).not.to.emit(anchors, "Anchored");
      expect(await anchors.anchorOf(HASH)).to.deep.equal(first);
    });

    it("rejects the zero hash", async () => {
      const { anchors } = await loadFixture(deployContracts);
      await expect(anchors.anchor(ethers.ZeroHash))
        .to.be.revertedWithCustomError(anchors, "InvalidHash")
        .withArgs(ethers.ZeroHash);
    });

    it("accepts calls of relayers only", async () => {
      const { anchors, user } = await loadFixture(deployContracts);
      await expect(anchors.connect(user).anchor(HASH))
        .to.be.revertedWithCustomError(anchors, "AccessControlUnauthorizedAccount")
        .withArgs(user, RELAYER_ROLE);
    });
  });

  describe("anchorBatch", () => {
    for (const size of [1n, 2n, 1000n]) {
      it(`stores the block of a root of ${size}`, async () => {
        const { anchors } = await loadFixture(deployContracts);
        await expect(anchors.anchorBatch(HASH, size)).to.emit(anchors, "Anchored").withArgs(HASH, size);
        expect(await anchors.anchorOf(HASH)).to.deep.equal(await now(size));
      });
    }

    it("returns the first anchor for a repeated root", async () => {
      const { anchors } = await loadFixture(deployContracts);
      await anchors.anchorBatch(HASH, 5);
      const first = await now(5n);
      await time.increase(1000);
      expect(await anchors.anchorBatch.staticCall(HASH, 6)).to.deep.equal(first);
      await expect(anchors.anchorBatch(HASH, 6)).not.to.emit(anchors, "Anchored");
      await expect(anchors.anchor(HASH)).not.to.emit(anchors, "Anchored");
      expect(await anchors.anchorOf(HASH)).to.deep.equal(first);
    });

    it("rejects the zero root", async () => {
      const { anchors } = await loadFixture(deployContracts);
      await expect(anchors.anchorBatch(ethers.ZeroHash, 1))
        .to.be.revertedWithCustomError(anchors, "InvalidHash")
        .withArgs(ethers.ZeroHash);
    });

    for (const size of [0, 1001, 2 ** 32 - 1]) {
      it(`rejects a batch of ${size}`, async () => {
        const { anchors } = await loadFixture(deployContracts);
        await expect(anchors.anchorBatch(HASH, size))
          .to.be.revertedWithCustomError(anchors, "InvalidBatchSize")
          .withArgs(size);
      });
    }

    it("accepts calls of relayers only", async () => {
      const { anchors, user } = await loadFixture(deployContracts);
      await expect(anchors.connect(user).anchorBatch(HASH, 1))
        .to.be.revertedWithCustomError(anchors, "AccessControlUnauthorizedAccount")
        .withArgs(user, RELAYER_ROLE);
    });
  });

  describe("verify", () => {
    it("accepts a hash anchored alone as its own root", async () => {
      const { anchors } = await loadFixture(deployContracts);
      expect(await anchors.verify(HASH, [], HASH)).to.equal(false);
      await anchors.anchor(HASH);
      expect(await anchors.verify(HASH, [], HASH)).to.equal(true);
      expect(await anchors.verify(HASH, [HASH], HASH)).to.equal(false);
      expect(await anchors.verify(ethers.id("other"), [], HASH)).to.equal(false);
    });

    it("rejects a path to a hash anchored alone", async () => {
      const { anchors } = await loadFixture(deployContracts);
      const batch = hashes(4);
      const tree = merkleTree(batch);
      await anchors.anchor(tree.root);
      expect(await anchors.verify(batch[0]!, tree.path(0), tree.root)).to.equal(false);
      expect(await anchors.verify(tree.root, [], tree.root)).to.equal(true);
    });

    it("rejects a batch's root, nodes and leaves as hashes of the batch", async () => {
      const { anchors } = await loadFixture(deployContracts);
      const batch = hashes(4);
      const tree = merkleTree(batch);
      await anchors.anchorBatch(tree.root, tree.size);
      expect(await anchors.verify(tree.root, [], tree.root)).to.equal(false);
      expect(await anchors.verify(tree.leaf(0), tree.path(0), tree.root)).to.equal(false);
      expect(await anchors.verify(tree.path(0)[1]!, [tree.path(2)[1]!], tree.root)).to.equal(false);
      expect(await anchors.verify(batch[0]!, tree.path(0), tree.root)).to.equal(true);
    });

    it("rejects a root without an anchor", async () => {
      const { anchors } = await loadFixture(deployContracts);
      const batch = hashes(4);
      const tree = merkleTree(batch);
      expect(await anchors.verify(batch[0]!, tree.path(0), tree.root)).to.equal(false);
    });

    describe("matches the tree computed off chain", () => {
      async function expectAgreement(size: number, seed: string, pick: number) {
        const { anchors } = await loadFixture(deployContracts);
        const batch = hashes(size, seed);
        const tree = merkleTree(batch);
        await anchors.anchorBatch(tree.root, size);
        const other = noise(32, "other");
        for (const index of new Set([0, size >> 1, size - 1, pick % size])) {
          const path = tree.path(index);
          for (const [hash, holds] of [
            [batch[index]!, true],
            [other, false],
          ] as const) {
            const message = `hash ${index} of ${size}`;
            expect(await anchors.verify(hash, path, tree.root), message).to.equal(holds);
            expect(verifyPath(hash, path, tree.root), message).to.equal(holds);
          }
        }
      }

      // Every size up to 33 and those around the powers of two.
      const sizes = [...Array(33).keys()].map((i) => i + 1);
      sizes.push(63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 999, 1000);

      it("for sizes at which the shape of the tree changes", async () => {
        for (const size of sizes) await expectAgreement(size, "fixed", 1);
      });

      it("for random trees of 1 to 1000 hashes", async () => {
        const size = fc.integer({ min: 1, max: 1000 });
        await fc.assert(fc.asyncProperty(size, fc.uuid(), fc.nat(), expectAgreement), { numRuns: 40 });
      });
    });
  });
});
