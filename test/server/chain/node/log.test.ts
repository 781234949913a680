import { assert } from "chai";
import { fetchLogs } from "../../../../server/chain/node/log.ts";
import { NodeError } from "../../../../server/chain/rpc/rpc.ts";

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
      async call(_method: string, [filter]: readonly unknown[]): Promise<unknown> {
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

  it("fail when the node refuses a single block", async () => {
    const error: unknown = await fetchLogs(node(0), filter, 0, 999).catch((thrown: unknown) => thrown);
    assert.instanceOf(error, NodeError);
  });
});
