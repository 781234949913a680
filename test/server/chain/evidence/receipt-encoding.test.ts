import { expect } from "chai";
import { hexlify } from "ethers";
import { ConsensusReceipt, encodeReceipt } from "../../../../server/chain/evidence/receipt-encoding.ts";

const ZERO = `0x${"00".repeat(32)}`;
const BLOOM = "00".repeat(256);

describe("receipts of a block", () => {
  /** A deposit of an OP-stack chain, in the form of JSON-RPC. */
  const deposit = {
    type: "0x7e",
    status: "0x1",
    cumulativeGasUsed: "0xb741",
    logsBloom: `0x${BLOOM}`,
    logs: [],
    blockHash: ZERO,
    transactionHash: ZERO,
    l1Fee: "0x0",
  };
  const encode = (receipt: object): string => hexlify(encodeReceipt(ConsensusReceipt.parse(receipt)));

  // The bytes are those of the encoders of op-geth and reth for these values.
  it("of deposits have nonce and version since Canyon", () => {
    expect(encode({ ...deposit, depositNonce: "0x3d3bbf", depositReceiptVersion: "0x1" })).to.equal(
      `0x7ef9010d0182b741b90100${BLOOM}c0833d3bbf01`,
    );
  });

  it("of deposits have no nonce in the receipts root before Canyon", () => {
    const before = `0x7ef901080182b741b90100${BLOOM}c0`;
    expect(encode({ ...deposit, depositNonce: "0x3d3bbf" })).to.equal(before);
    expect(encode({ ...deposit, depositNonce: null, depositReceiptVersion: null })).to.equal(before);
  });
});
