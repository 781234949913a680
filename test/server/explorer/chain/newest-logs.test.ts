import { assert } from "chai";
import { type LogPosition, newestLogs } from "../../../../server/explorer/chain/newest-logs.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { exploreAnchors } from "../../../../server/explorer/api.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const HEAD = 100_000;

/** A node with so many logs in some blocks. */
function nodeWith(blocks: ReadonlyMap<number, number>, mostBlocks = Infinity) {
  const queried: [first: number, last: number][] = [];
  const rpc: Rpc = {
    chainId: 1,
    close: () => undefined,
    async call(method, [filter]) {
      if (method === "eth_blockNumber") return `0x${HEAD.toString(16)}`;
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      const [first, last] = [Number(fromBlock), Number(toBlock)];
      queried.push([first, last]);
      if (last - first + 1 > mostBlocks) throw new NodeError("range too large", -32005, undefined);
      return [...blocks].flatMap(([block, count]) =>
        block < first || block > last ? [] : Array.from({ length: count }, (_, index) => log(block, index)),
      );
    },
  };
  return { rpc, queried };
}

function log(block: number, index: number) {
  const hash = `0x${block.toString(16).padStart(64, "0")}`;
  return {
    address: ADDRESS,
    topics: [hash],
    data: "0x",
    blockNumber: `0x${block.toString(16)}`,
    transactionHash: hash,
    logIndex: `0x${index.toString(16)}`,
  };
}

/** Every page, with what it found as `block-index`. */
async function pages(rpc: Rpc, limit: number, firstBlock = 1): Promise<string[][]> {
  const all: string[][] = [];
  let cursor: LogPosition | undefined;
  do {
    const { logs, next } = await newestLogs(rpc, {
      filters: [{ address: [ADDRESS], topics: [] }],
      firstBlock,
      head: HEAD,
      limit,
      cursor,
    });
    all.push(logs.map(({ blockNumber, logIndex }) => `${blockNumber}-${logIndex}`));
    cursor = exploreAnchors.query.parse({ cursor: next }).cursor;
  } while (cursor !== undefined && all.length < 1_000);
  return all;
}

describe("the newest logs of a chain", () => {
  const blocks = new Map([
    [3, 2],
    [50_000, 4],
    [99_990, 1],
    [99_995, 3],
    [HEAD, 2],
  ]);
  const expected = [
    "100000-1",
    "100000-0",
    "99995-2",
    "99995-1",
    "99995-0",
    "99990-0",
    "50000-3",
    "50000-2",
    "50000-1",
    "50000-0",
    "3-1",
    "3-0",
  ];

  for (const limit of [1, 2, 3, 5, 100]) {
    it(`are returned newest first, each once, in pages of at most ${limit}`, async () => {
      const found = await pages(nodeWith(blocks).rpc, limit);
      assert.deepEqual(found.flat(), expected);
      for (const page of found) assert.isAtMost(page.length, limit);
    });
  }

  it("are found on a node that limits the range of a query", async () => {
    const { rpc } = nodeWith(blocks, 2_000);
    assert.deepEqual((await pages(rpc, 100)).flat(), expected);
  });

  it("are searched in growing ranges where there are none, with a bound per page", async () => {
    const { rpc, queried } = nodeWith(new Map());
    const { logs, next } = await newestLogs(rpc, {
      filters: [{ address: [ADDRESS], topics: [] }],
      firstBlock: 1,
      head: HEAD,
      limit: 10,
      cursor: undefined,
    });
    assert.deepEqual(logs, []);
    assert.isUndefined(next);
    assert.isAtMost(queried.length, 8);
    const { rpc: narrow, queried: queries } = nodeWith(new Map(), 16);
    const page = await newestLogs(narrow, {
      filters: [{ address: [ADDRESS], topics: [] }],
      firstBlock: 1,
      head: HEAD,
      limit: 10,
      cursor: undefined,
    });
    assert.isDefined(page.next);
    assert.isAtMost(queries.length, 8);
  });

  it("are not searched before the first block", async () => {
    assert.deepEqual((await pages(nodeWith(blocks).rpc, 100, 50_001)).flat(), expected.slice(0, 6));
  });

  it("are rejected for an invalid cursor", () => {
    for (const cursor of ["12", "a-b", "1-", "-1", ""])
      assert.isFalse(exploreAnchors.query.safeParse({ cursor }).success, cursor);
  });

  it("ask about no more logs than a page needs when each costs a query", async () => {
    const { rpc } = nodeWith(new Map([[HEAD, 500]]));
    let asked = 0;
    const found: number[] = [];
    let cursor: LogPosition | undefined;
    do {
      asked = 0;
      const { logs, next } = await newestLogs(rpc, {
        filters: [{ address: [ADDRESS], topics: [] }],
        firstBlock: HEAD,
        head: HEAD,
        limit: 10,
        cursor,
        accept: async (some) => {
          asked += some.length;
          return some.filter(({ logIndex }) => logIndex % 2 === 0);
        },
      });
      found.push(...logs.map(({ logIndex }) => logIndex));
      assert.isAtMost(asked, 33);
      cursor = exploreAnchors.query.parse({ cursor: next }).cursor;
    } while (cursor !== undefined);
    assert.deepEqual(
      found,
      Array.from({ length: 250 }, (_, index) => 498 - 2 * index),
    );
  });
});
