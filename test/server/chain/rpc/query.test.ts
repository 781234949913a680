import { assert } from "chai";
import * as z from "zod";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { isRevert, limitsRate } from "../../../../server/chain/rpc/node-words.ts";
import { fetchChainIdOf, lookUpInBlock, query } from "../../../../server/chain/rpc/query.ts";
import { ifNodeError, isContradiction, unavailable } from "../../../../server/chain/rpc/rpc.ts";
import { thrownBy } from "../../../support/thrown.ts";

const METHOD = "eth_getBlockByNumber";

/** A node that returns these values in turn to a method, the last one again, and its newest block. */
function nodeWith(values: readonly unknown[], head: () => string) {
  let calls = 0;
  return {
    calls: () => calls,
    async call(method: string): Promise<unknown> {
      if (method === "eth_blockNumber") return head();
      calls += 1;
      return values[Math.min(calls, values.length) - 1];
    },
  };
}

describe("queries of a node", () => {
  const look = (rpc: Pick<ReturnType<typeof nodeWith>, "call">) => lookUpInBlock(rpc, 7, z.string(), METHOD, ["0x7"]);

  it("take null for no answer where there always is one", async () => {
    const rpc = { call: async () => null };
    assert.propertyVal(await thrownBy(query(rpc, z.string(), "eth_getBalance", [])), "code", "chain_unavailable");
    assert.propertyVal(await thrownBy(query(rpc, z.unknown(), "eth_getBalance", [])), "code", "chain_unavailable");
  });

  it("find a block absent only when the node's newest one is before it", async () => {
    assert.isUndefined(await look(nodeWith([null], () => "0x6")));
    const contradiction = await thrownBy(look(nodeWith([null], () => "0x7")));
    assert.isTrue(isContradiction(contradiction));
    assert.include(contradiction.message, `null to ${METHOD} of block 7, but its newest block is 7`);
    assert.isTrue(isContradiction(await thrownBy(look(nodeWith([null], () => "0x100")))));
  });

  it("find a block that another node behind the same address did not have", async () => {
    assert.equal(await look(nodeWith([null, "found"], () => "0x7")), "found");
    assert.equal(await look(nodeWith([null, null, "found"], () => "0x7")), "found");
    assert.equal(await look(nodeWith(["found"], () => assert.fail("it was queried"))), "found");
  });

  it("read a chain id of any size, and name one that is too large", async () => {
    const withId = (id: unknown) => fetchChainIdOf({ call: async () => id });
    assert.equal(await withId("0x1fffffffffffff"), Number.MAX_SAFE_INTEGER);
    const error = await thrownBy(withId("0x20000000000000"));
    assert.propertyVal(error, "code", "config_invalid");
    assert.include(error.message, "the chain's id is 9007199254740992; chain ids above 2^53-1");
    assert.propertyVal(await thrownBy(withId(null)), "code", "chain_unavailable");
  });

  it("replace the error of a node that lacks a method, and not that of a limited one", () => {
    const otherwise = ifNodeError("otherwise");
    const lacking = new NodeError("the method x does not exist", -32601, undefined);
    const limited = new NodeError("call rate limit exhausted", -32090, undefined);
    assert.equal(otherwise(lacking), "otherwise");
    assert.equal(otherwise(unavailable(lacking)), "otherwise");
    for (const error of [limited, unavailable(limited), unavailable(new Error("lost"))])
      assert.throws(() => otherwise(error));
  });
});

describe("the words of nodes", () => {
  for (const [code, message] of [
    [429, "compute units exceeded"],
    [-32005, "project ID request rate exceeded"],
    [-32007, "50/second request limit reached"],
    [-32000, "429 Too Many Requests"],
    [-32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"],
    [-32016, "rate limit exceeded"],
    [-32029, "Too Many Requests"],
    [-32603, "You've exceeded the rate limit"],
  ] as const)
    it(`name a rate limit by ${code} "${message}"`, () => {
      assert.isTrue(limitsRate(new NodeError(message, code, undefined)));
    });

  for (const [code, message] of [
    [-32005, "query returned more than 10000 results"],
    [-32000, "header not found"],
    [-32602, "query exceeds max block range 100"],
    [-32000, "execution reverted: rate is 7"],
    [3, "execution reverted: too many requests"],
  ] as const)
    it(`name no rate limit by ${code} "${message}"`, () => {
      assert.isFalse(limitsRate(new NodeError(message, code, undefined)));
    });

  it("name a revert by its code, its data, or its message", () => {
    assert.isTrue(isRevert(new NodeError("", 3, undefined)));
    assert.isTrue(isRevert(new NodeError("", -32000, "0x")));
    assert.isTrue(isRevert(new NodeError("Execution reverted", -32000, undefined)));
    assert.isFalse(isRevert(new NodeError("header not found", -32000, undefined)));
  });
});
