import { assert } from "chai";
import * as z from "zod";
import { fetchBlockReceipts } from "../../../../server/chain/node/receipt.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { isContradiction, nodeErrorIn } from "../../../../server/chain/rpc/rpc.ts";
import { thrownBy } from "../../../support/thrown.ts";

const Receipt = z.object({ transactionHash: z.string() });
const hashOf = (index: number): string => `0x${index.toString(16).padStart(64, "0")}`;

describe("receipts of a block", () => {
  /** A node with one block, which lacks a method, and the receipt of one transaction. */
  const node = (transactions: number, refusal: NodeError, missing = -1) => {
    let now = 0;
    const methods: string[] = [];
    return {
      methods,
      mostAtOnce: 0,
      async call(method: string, [argument]: readonly unknown[]): Promise<unknown> {
        if (method === "eth_blockNumber") return "0x1";
        methods.push(method);
        if (method === "eth_getBlockReceipts") throw refusal;
        if (method === "eth_getBlockByNumber")
          return { transactions: Array.from({ length: transactions }, (_, index) => hashOf(index)) };
        now += 1;
        this.mostAtOnce = Math.max(this.mostAtOnce, now);
        await new Promise(setImmediate);
        now -= 1;
        return argument === hashOf(missing) ? null : { transactionHash: argument };
      },
    };
  };
  const count = (methods: readonly string[], method: string) => methods.filter((each) => each === method).length;

  for (const refusal of [
    new NodeError("the method eth_getBlockReceipts does not exist/is not available", -32601, undefined),
    new NodeError("Method disabled", -32604, undefined),
    new NodeError("Unsupported method: eth_getBlockReceipts", -32600, undefined),
    new NodeError("this method is not supported on your plan", -32000, undefined),
  ])
    it(`are fetched one by one, some at a time, from a node that responds "${refusal.message}"`, async () => {
      const rpc = node(120, refusal);
      const expected = Array.from({ length: 120 }, (_, index) => ({ transactionHash: hashOf(index) }));
      assert.deepEqual(await fetchBlockReceipts(rpc, 1, Receipt), expected);
      assert.deepEqual(await fetchBlockReceipts(rpc, 1, Receipt), expected);
      assert.equal(rpc.mostAtOnce, 50);
      assert.equal(count(rpc.methods, "eth_getBlockReceipts"), 1, "it was learned");
    });

  it("contradict the node's block while it lacks one of them", async () => {
    const rpc = node(3, new NodeError("no", -32601, undefined), 2);
    assert.isTrue(isContradiction(await thrownBy(fetchBlockReceipts(rpc, 1, Receipt))));
  });

  it("are those of a later block, or contradict the node, when it returns null", async () => {
    const at = (head: string) => ({ call: async (method: string) => (method === "eth_blockNumber" ? head : null) });
    assert.isUndefined(await fetchBlockReceipts(at("0x4"), 5, Receipt));
    assert.isTrue(isContradiction(await thrownBy(fetchBlockReceipts(at("0x5"), 5, Receipt))));
  });

  it("fail with the error of a node that has the method", async () => {
    const rpc = node(3, new NodeError("internal error", -32603, undefined));
    const error: unknown = await fetchBlockReceipts(rpc, 1, Receipt).catch((thrown: unknown) => thrown);
    assert.instanceOf(nodeErrorIn(error), NodeError);
    assert.deepEqual(rpc.methods, ["eth_getBlockReceipts"]);
  });
});
