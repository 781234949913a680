import { assert } from "chai";
import { fetchLogs } from "../../../../server/chain/node/log.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { nodeErrorIn } from "../../../../server/chain/rpc/rpc.ts";
import { thrownBy } from "../../../support/thrown.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const quantity = (number: number): string => `0x${number.toString(16)}`;

interface Range {
  readonly fromBlock: string;
  readonly toBlock: string;
}

describe("logs of a range of blocks", () => {
  /** A node with a log in every block, and its limit of blocks for a query. */
  const node = (limit: number) => {
    const lengths: number[] = [];
    return {
      lengths,
      async call(method: string, [filter]: readonly unknown[]): Promise<unknown> {
        if (method === "eth_blockNumber") return quantity(2_000);
        const { fromBlock, toBlock } = filter as Range;
        const [from, length] = [Number(fromBlock), Number(toBlock) - Number(fromBlock) + 1];
        lengths.push(length);
        if (length > limit) throw new NodeError(`query exceeds max block range ${limit}`, -32_602, undefined);
        return Array.from({ length }, (_, index) => ({
          ...{ address: ADDRESS, topics: [], data: "0x", transactionHash: `0x${"22".repeat(32)}`, logIndex: "0x0" },
          blockNumber: quantity(from + index),
        }));
      },
    };
  };
  const filter = { address: [ADDRESS], topics: [] };
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  for (const limit of [1, 2, 7, 100, 999, 1_000])
    it(`are fetched completely and in order from a node with a limit of ${limit} blocks`, async () => {
      const logs = await fetchLogs(node(limit), filter, 5, 1_004);
      assert.deepEqual(
        logs.map(({ blockNumber }) => blockNumber),
        numbers(5, 1_004),
      );
    });

  it("are fetched with ranges of the length that the node has accepted before", async () => {
    const limited = node(100);
    await fetchLogs(limited, filter, 0, 999);
    const before = limited.lengths.length;
    await fetchLogs(limited, filter, 1_000, 1_999);
    assert.isBelow(Math.max(...limited.lengths.slice(before)), 200);
  });

  it("do not count from a node that lacks the last block, and returns those of the others or null", async () => {
    for (const logs of [[], null]) {
      const rpc = { call: async (method: string) => (method === "eth_blockNumber" ? quantity(998) : logs) };
      assert.propertyVal(await thrownBy(fetchLogs(rpc, filter, 0, 999)), "code", "chain_unavailable");
    }
    const complete = { call: async (method: string) => (method === "eth_blockNumber" ? quantity(999) : []) };
    assert.deepEqual(await fetchLogs(complete, filter, 0, 999), []);
  });

  it("are not queried again in shorter ranges because of a rate limit", async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      calls += 1;
      throw new NodeError("429 Too Many Requests", -32000, undefined);
    };
    assert.propertyVal(await thrownBy(fetchLogs({ call }, filter, 0, 999)), "code", "chain_unavailable");
    assert.isAtMost(calls, 2);
  });

  it("fail when the node refuses a single block", async () => {
    const error: unknown = await fetchLogs(node(0), filter, 0, 999).catch((thrown: unknown) => thrown);
    assert.instanceOf(nodeErrorIn(error), NodeError);
  });
});
