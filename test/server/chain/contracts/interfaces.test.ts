import { assert } from "chai";
import { readContract } from "../../../../server/chain/contracts/interfaces.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { nodeErrorIn, type Rpc } from "../../../../server/chain/rpc/rpc.ts";
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
    const gone = await thrownBy(readContract(busy.rpc, "0x", "0x"));
    assert.propertyVal(gone, "code", "chain_unavailable");
    assert.match(nodeErrorIn(gone)?.message ?? "", /BlockOutOfRange/);
    assert.equal(busy.calls(), 5);
    const refusing = failing(100, new NodeError("execution reverted", 3, undefined));
    assert.propertyVal(await thrownBy(readContract(refusing.rpc, "0x", "0x")), "code", "chain_reverted");
    assert.equal(refusing.calls(), 1);
  });

  for (const [code, message, data] of [
    [3, "", undefined],
    [-32000, "Execution reverted", undefined],
    [-32015, "VM execution error.", "0x"],
    [-32603, "VM Exception while processing transaction: revert", "0x08c379a0"],
  ] as const)
    it(`is reverted by the error ${code} "${message}" with ${data ?? "no data"}`, async () => {
      const { rpc } = failing(1, new NodeError(message, code, data));
      assert.propertyVal(await thrownBy(readContract(rpc, "0x", "0x")), "code", "chain_reverted");
    });

  for (const [code, message] of [
    [-32000, "header not found"],
    [-32090, "Too many requests, reason: call rate limit exhausted"],
    [429, "compute units exceeded"],
    [-32000, "missing trie node"],
    [-32603, "internal error"],
    [-32601, "the method eth_call does not exist/is not available"],
  ] as const)
    it(`is unavailable, and no revert, by the error ${code} "${message}", which is in the cause only`, async () => {
      const { rpc, calls } = failing(1, new NodeError(message, code, undefined));
      const error = await thrownBy(readContract(rpc, "0x", "0x"));
      assert.propertyVal(error, "code", "chain_unavailable");
      assert.notInclude(error.message, message);
      assert.equal(nodeErrorIn(error)?.message, message);
      assert.equal(calls(), 1);
    });

  it("returns no value for an empty one, nor for none", async () => {
    for (const response of ["0x", null, "0x0", 7, {}]) {
      const rpc = { call: async () => response };
      assert.propertyVal(await thrownBy(readContract(rpc, "0x", "0x")), "code", "chain_unavailable");
    }
  });

  it("counts only from a node that has the required block", async () => {
    const rpc = { call: async (method: string) => (method === "eth_blockNumber" ? "0x5" : "0x01") };
    assert.equal(await readContract(rpc, "0x", "0x", 5), "0x01");
    assert.match((await thrownBy(readContract(rpc, "0x", "0x", 6))).message, /blocks to 5 only, not to 6/);
  });
});
