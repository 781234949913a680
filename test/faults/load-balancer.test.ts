import { assert } from "chai";
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
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    server = await startServer(chain.variables, { directory: chain.directory });
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
  });

  it("hides no record from the index: its logs do not count for blocks that it lacks", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = await server.login(account);
    const found = async (code: string): Promise<number> => {
      const search = { search: { target: "1", value: code } };
      return content(await server.call(ROUTES.search, { token }, search), ROUTES.search).tparams.events.length;
    };
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
    for (const code of ["one", "two"])
      content(await server.call(ROUTES.store, { token }, { code, topic: "t", payload: {} }), ROUTES.store);
    assert.equal(seen, SEEN);
    for (const code of ["one", "two"]) await eventually(async () => assert.equal(await found(code), 1));
  });
});
