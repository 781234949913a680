import { assert } from "chai";
import { readContract } from "../../../../server/chain/contracts/interfaces.ts";
import { NodeError, type Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { thrownBy } from "../../../support/thrown.ts";

const GONE = new NodeError("BlockOutOfRangeError: block height is 37 but requested was 36", -32602, undefined);

/** A node that fails a given number of times. */
function failing(times: number, error: Error): { rpc: Rpc; calls: () => number } {
  let calls = 0;
  const call = async (): Promise<string> => {
    calls += 1;
    if (calls <= times) throw error;
    return "0x01";
  };
  return { rpc: { chainId: 1, call, close: () => undefined }, calls: () => calls };
}

describe("reading from a contract", () => {
  it("is retried when the node received a block meanwhile", async () => {
    const { rpc, calls } = failing(3, GONE);
    assert.equal(await readContract(rpc, "0x", "0x"), "0x01");
    assert.equal(calls(), 4);
  });

  it("fails after some retries, and immediately when the contract reverts", async () => {
    const busy = failing(100, GONE);
    assert.match((await thrownBy(readContract(busy.rpc, "0x", "0x"))).message, /BlockOutOfRange/);
    assert.equal(busy.calls(), 5);
    const refusing = failing(100, new NodeError("execution reverted", 3, undefined));
    assert.propertyVal(await thrownBy(readContract(refusing.rpc, "0x", "0x")), "code", "chain_reverted");
    assert.equal(refusing.calls(), 1);
  });
});
