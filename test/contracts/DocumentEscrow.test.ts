import { expect } from "chai";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import { DocumentEscrow__factory } from "../../typechain-types/factories/examples/DocumentEscrow__factory.ts";
import { deployContracts, ethers, loadFixture, noise, time } from "./fixtures.ts";

const PRICE = 5n;
const DAY = 86_400n;
const RECORDS = [0, 1, 2, 3, 4].map((index) => noise(32, `record ${index}`));
const [DOCUMENT = new Uint8Array()] = RECORDS;

/** An escrow for the first record, which nobody has anchored yet. */
async function deployEscrow() {
  const contracts = await loadFixture(deployContracts);
  const { anchors, user: seller, outsider: buyer } = contracts;
  const deadline = BigInt(await time.latest()) + 30n * DAY;
  const arguments_ = [await anchors.getAddress(), DOCUMENT, deadline, seller.address];
  const address = await ethers.deployContract("DocumentEscrow", arguments_, { signer: buyer, value: PRICE });
  const escrow = DocumentEscrow__factory.connect(await address.getAddress(), buyer);
  return { ...contracts, seller, buyer, deadline, escrow };
}

describe("DocumentEscrow", () => {
  const tree = merkleTree(RECORDS);
  const { root } = tree;
  const path = tree.path(0);

  it("shows what was agreed", async () => {
    const { escrow, anchors, seller, buyer, deadline } = await deployEscrow();
    expect(await escrow.anchors()).to.equal(await anchors.getAddress());
    expect(await escrow.recordHash()).to.equal(ethers.hexlify(DOCUMENT));
    expect([await escrow.deadline(), await escrow.seller(), await escrow.buyer()]).to.deep.equal([
      deadline,
      seller.address,
      buyer.address,
    ]);
    expect(await ethers.provider.getBalance(escrow)).to.equal(PRICE);
  });

  it("pays the seller for a proof that the document was anchored in a batch by the deadline", async () => {
    const { escrow, anchors, seller, reader } = await deployEscrow();
    await anchors.anchorBatch(root, RECORDS.length);
    const claim = escrow.connect(reader).claim(path, root);
    await expect(claim).to.changeEtherBalances(ethers, [seller, escrow], [PRICE, -PRICE]);
    await expect(claim).to.emit(escrow, "PaidOut").withArgs(seller, PRICE);
  });

  it("pays for a document that was anchored alone, and for a proof that comes in the time of grace", async () => {
    const { escrow, anchors, seller, deadline } = await deployEscrow();
    await anchors.anchor(DOCUMENT);
    await time.increaseTo(deadline + 6n * DAY);
    await expect(escrow.claim([], DOCUMENT)).to.changeEtherBalance(ethers, seller, PRICE);
  });

  it("pays nothing without an anchor, or for the path of another document", async () => {
    const { escrow, anchors } = await deployEscrow();
    await expect(escrow.claim(path, root)).to.be.revertedWithCustomError(escrow, "NotAnchored").withArgs(root);
    await anchors.anchorBatch(root, RECORDS.length);
    await expect(escrow.claim(tree.path(1), root)).to.be.revertedWithCustomError(escrow, "NotAnchored");
  });

  it("pays nothing for a document that was anchored after the deadline", async () => {
    const { escrow, anchors, deadline } = await deployEscrow();
    await time.setNextBlockTimestamp(deadline + 1n);
    await anchors.anchorBatch(root, RECORDS.length);
    await expect(escrow.claim(path, root))
      .to.be.revertedWithCustomError(escrow, "AnchoredTooLate")
      .withArgs(deadline + 1n);
  });

  it("pays for an anchor at the deadline", async () => {
    const { escrow, anchors, seller, deadline } = await deployEscrow();
    await time.setNextBlockTimestamp(deadline);
    await anchors.anchorBatch(root, RECORDS.length);
    await expect(escrow.claim(path, root)).to.changeEtherBalance(ethers, seller, PRICE);
  });

  it("pays the buyer back after the time of grace, and not before", async () => {
    const { escrow, buyer, reader, deadline } = await deployEscrow();
    const until = deadline + 7n * DAY;
    await time.setNextBlockTimestamp(until);
    await expect(escrow.withdraw()).to.be.revertedWithCustomError(escrow, "ProofStillPossible").withArgs(until);
    await time.setNextBlockTimestamp(until + 1n);
    await expect(escrow.connect(reader).withdraw()).to.changeEtherBalance(ethers, buyer, PRICE);
  });

  it("needs a seller", async () => {
    const { escrow, anchors, deadline } = await deployEscrow();
    const arguments_ = [anchors, DOCUMENT, deadline, ethers.ZeroAddress];
    await expect(ethers.deployContract("DocumentEscrow", arguments_)).to.be.revertedWithCustomError(escrow, "NoSeller");
  });

  it("pays once", async () => {
    const { escrow, anchors } = await deployEscrow();
    await anchors.anchorBatch(root, RECORDS.length);
    await escrow.claim(path, root);
    await expect(escrow.claim(path, root)).to.be.revertedWithCustomError(escrow, "AlreadyPaid");
  });
});
