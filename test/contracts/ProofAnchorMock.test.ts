import { expect } from "chai";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import { ProofAnchorMock__factory } from "../../typechain-types/factories/mocks/ProofAnchorMock__factory.ts";
import { deployContracts, ethers, loadFixture, noise, time } from "./fixtures.ts";

const RECORDS = [0, 1, 2].map((index) => noise(32, `record ${index}`));
const [DOCUMENT = new Uint8Array(), OTHER = new Uint8Array()] = RECORDS;

/** The contract and its mock. */
async function deployBoth() {
  const { anchors, outsider } = await loadFixture(deployContracts);
  const deployed = await ethers.deployContract("ProofAnchorMock");
  const mock = ProofAnchorMock__factory.connect(await deployed.getAddress(), outsider);
  return { both: [anchors, mock] as const, mock, outsider };
}

describe("ProofAnchorMock", () => {
  const tree = merkleTree(RECORDS);
  const { root } = tree;

  it("anchors and verifies as the contract does", async () => {
    const { both } = await deployBoth();
    for (const anchors of both) {
      expect(await anchors.verify(DOCUMENT, [], DOCUMENT)).to.equal(false);
      await expect(anchors.anchor(DOCUMENT)).to.emit(anchors, "Anchored").withArgs(DOCUMENT, 0);
      await expect(anchors.anchorBatch(root, 3)).to.emit(anchors, "Anchored").withArgs(root, 3);
      await expect(anchors.anchorBatch(root, 2)).not.to.emit(anchors, "Anchored");
      const { time: anchored, blockNumber, size } = await anchors.anchorOf(root);
      expect(size).to.equal(3);
      const block = await ethers.provider.getBlock(Number(blockNumber));
      expect(anchored).to.equal(block?.timestamp);
      expect(await anchors.verify(DOCUMENT, [], DOCUMENT)).to.equal(true);
      expect(await anchors.verify(DOCUMENT, tree.path(0), DOCUMENT)).to.equal(false);
      expect(await anchors.verify(DOCUMENT, tree.path(0), root)).to.equal(true);
      expect(await anchors.verify(OTHER, tree.path(0), root)).to.equal(false);
    }
  });

  it("refuses what the contract refuses", async () => {
    const { both } = await deployBoth();
    for (const anchors of both) {
      await expect(anchors.anchor(ethers.ZeroHash)).to.be.revertedWithCustomError(anchors, "InvalidHash");
      for (const size of [0, 1001])
        await expect(anchors.anchorBatch(root, size)).to.be.revertedWithCustomError(anchors, "InvalidBatchSize");
    }
  });

  it("anchors at any time, once", async () => {
    const { mock } = await deployBoth();
    const lastYear = (await time.latest()) - 365 * 86_400;
    await mock.anchorAt(root, 3, lastYear);
    await mock.anchorAt(root, 1, lastYear + 1);
    const found = await mock.anchorOf(root);
    expect([found.time, found.size]).to.deep.equal([BigInt(lastYear), 3n]);
    expect(await mock.verify(OTHER, tree.path(1), root)).to.equal(true);
  });
});
