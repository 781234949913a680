import { assert } from "chai";
import { administratorOf, EVERY_ACCESS } from "../support/administrator.ts";
import { emptyDatabase } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

/** Blocks that one of the nodes behind the address lacks, and the requests that reach it. */
const BEHIND = 2;
const SEEN = 3;

describe("a node behind a load balancer that lacks the newest blocks", () => {
  let chain: RemoteChain;
  let database: EngineDatabase;
  let server: TestServer;
  const start = async (): Promise<void> => {
    server = await startServer({ ...chain.variables, DATABASE_URL: database.url }, { directory: chain.directory });
  };
  before(async () => {
    chain = await startRemoteChain();
    database = await emptyDatabase("sqlite");
    await start();
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
    await database.remove();
  });

  it("hides no record from an index that is built anew: its logs do not count for blocks that it lacks", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = await server.login(account);
    const codes = ["one", "two"];
    for (const code of codes)
      content(await server.call(ROUTES.store, { token }, { code, topic: "t", payload: {} }), ROUTES.store);
    await server.stop("keep");
    const [access = assert.fail()] = EVERY_ACCESS;
    const administrator = await administratorOf(database, access);
    await administrator.run("delete from records", "delete from index_progress");
    await administrator.close();

    let lagging = 0;
    let seen = 0;
    // Requests with logs reach the node that lags, all others the one that does not.
    chain.proxy.intercept = async ({ id, method }) => {
      if (method === "eth_getLogs" && seen < SEEN) {
        lagging = id;
        seen += 1;
        return { result: [] };
      }
      if (method !== "eth_blockNumber" || id !== lagging + 1) return "pass";
      const head = Number(await rpcCall(chain.url, "eth_blockNumber"));
      return { result: `0x${(head - BEHIND).toString(16)}` };
    };
    await start();
    const again = await server.login(account);
    for (const code of codes)
      await eventually(async () => {
        const search = { search: { target: "1", value: code } };
        const found = content(await server.call(ROUTES.search, { token: again }, search), ROUTES.search);
        assert.lengthOf(found.tparams.events, 1);
      });
    assert.equal(seen, SEEN);
  });
});
