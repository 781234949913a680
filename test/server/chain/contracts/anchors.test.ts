import { assert } from "chai";
import { getBytes, hexlify } from "ethers";
import { type AnchorOnChain, confirmedAnchor } from "../../../../server/chain/contracts/anchors.ts";
import { INTERFACES } from "../../../../server/chain/contracts/interfaces.ts";
import type { MinedTransaction } from "../../../../server/chain/evidence/verified-block.ts";
import { blockOf } from "../../../support/verified-block.ts";

const ABI = INTERFACES.ProofAnchor;
const CONTRACT = `0x${"aa".repeat(20)}`;
const FORWARDER = `0x${"bb".repeat(20)}`;
const hash = Buffer.alloc(32, 1);
const transactionHash = (value: number): string => hexlify(Buffer.alloc(32, value));

/** A call that passes the hash to a contract, and the event that it makes there. */
const mined = (id: number, to: string, anchors: boolean): MinedTransaction => {
  const { topics, data } = ABI.encodeEventLog("Anchored", [hash, 0]);
  const event = { address: getBytes(CONTRACT), topics: topics.map((topic) => getBytes(topic)), data: getBytes(data) };
  return {
    hash: transactionHash(id),
    to: getBytes(to),
    input: getBytes(ABI.encodeFunctionData("anchor", [hash])),
    succeeded: true,
    logs: anchors ? [event] : [],
  };
};

describe("a transaction that repeats an anchor", function () {
  const repeat = mined(2, CONTRACT, false);
  const confirmedAfter = (first: MinedTransaction, time = 1_001) => {
    const earlier = blockOf(1, [first]);
    const onChain: AnchorOnChain = { contract: CONTRACT, time, blockNumber: 1, size: 0 };
    return confirmedAnchor({ block: blockOf(2, [repeat]), transaction: repeat }, CONTRACT, {
      anchorOf: async () => onChain,
      block: async (number) => (number === 1 ? earlier : undefined),
    });
  };

  it("confirms it where the contract has it first", async () => {
    const confirmed = await confirmedAfter(mined(1, CONTRACT, true));
    assert.deepEqual(confirmed?.content, { hash: Buffer.from(hash), size: 0 });
    assert.equal(hexlify(confirmed?.first?.transactionHash ?? ""), transactionHash(1));
    assert.equal(confirmed?.first?.block.number, 1);
  });

  it("confirms it in its own block when the first call came through another contract", async () => {
    const confirmed = await confirmedAfter(mined(1, FORWARDER, true));
    assert.equal(confirmed?.content.size, 0);
    assert.isUndefined(confirmed?.first);
  });

  it("confirms nothing without the event, or when its block has another time", async () => {
    assert.isUndefined(await confirmedAfter(mined(1, CONTRACT, false)));
    assert.isUndefined(await confirmedAfter(mined(1, CONTRACT, true), 1_000));
  });
});
