import { assert } from "chai";
import { limitQuery } from "../../../../server/chain/embedded/port-calls.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";

describe("queries over the port of the embedded chain", () => {
  const limit = (method: string, first: unknown, head = 5_000n) =>
    limitQuery(method, [first, "rest"], async () => head);
  const code = (limited: Promise<unknown>): Promise<number> =>
    limited.then(
      () => assert.fail("it was permitted"),
      (error: NodeError) => error.code,
    );

  it("that execute code have a maximum of gas", async () => {
    const most = { to: "0x1", gas: "0x989680" };
    for (const call of [{ to: "0x1" }, { to: "0x1", gas: "0x989681" }, { to: "0x1", gas: `0x${"f".repeat(64)}` }])
      assert.deepEqual(await limit("eth_call", call), [most, "rest"]);
    assert.deepEqual(await limit("eth_estimateGas", { gas: "0x5208" }), [{ gas: "0x5208" }, "rest"]);
    for (const wrong of [7, null, { gas: 30_000_000 }, { gas: "30000000" }, { gas: "0x" }])
      assert.equal(await code(limit("eth_createAccessList", wrong)), -32_602);
  });

  // Security, machine: cannot make the server read the logs of the whole chain, traces, or the whole pool at once
  it("for logs have a maximum of blocks", async () => {
    for (const range of [
      {},
      { fromBlock: "0xfa1" },
      { fromBlock: "0x0", toBlock: "0x3e7" },
      { fromBlock: "earliest", toBlock: "0x3e7" },
      { fromBlock: "0x1387", toBlock: "0xffffffff" },
      { blockHash: "0x12" },
    ])
      assert.deepEqual(await limit("eth_getLogs", range), [range, "rest"]);
    for (const range of [{ fromBlock: "0xfa0" }, { fromBlock: "earliest" }, { fromBlock: "0x0", toBlock: "0x3e8" }])
      assert.equal(await code(limit("eth_getLogs", range)), -32_005);
    assert.deepEqual(await limit("eth_getBalance", { fromBlock: "earliest" }), [{ fromBlock: "earliest" }, "rest"]);
  });
});
