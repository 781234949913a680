import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { startFailure } from "../../server/composition/announcements.ts";
import { anchored } from "../support/anchored.ts";
import { eventually } from "../support/eventually.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";

/** Runs a statement as somebody who has the file. */
function damage(directory: string, statement: string): void {
  const database = new DatabaseSync(join(directory, "sealbook.sqlite"));
  for (const { name } of database.prepare("select name from sqlite_master where type = 'trigger'").all())
    database.exec(`drop trigger "${String(name)}"`);
  database.exec(statement);
  database.close();
}

describe("the status of a damaged installation", () => {
  let chain: RemoteChain;
  let server: TestServer | undefined;
  const start = async (): Promise<TestServer> =>
    (server = await startServer(chain.variables, {
      directory: chain.directory,
      settings: { journal: { reconcileIntervalMilliseconds: 200 } },
    }));
  beforeEach(async () => {
    chain = await startRemoteChain(startRawNode);
  });
  afterEach(async () => {
    await server?.stop("keep");
    server = undefined;
    await chain.close();
  });

  it("names the node when each of its calls fails", async () => {
    const { get } = await start();
    chain.proxy.intercept = () => ({ error: { code: -32000, message: "out of order" } });
    const { status, body } = await get("/api/v1/status");
    assert.deepEqual([status, body.status], [200, "down"]);
    assert.deepEqual(body.problems, [{ part: "node", reason: "the node returned an error: out of order" }]);
    assert.equal((await get("/livez")).status, 200);
    chain.proxy.mode = "pass";
    await eventually(async () => assert.equal((await get("/api/v1/status")).body.status, "ok"));
  });

  // Security, node: the node cannot contradict itself while the status is `ok`
  it("names the node while attestations are refused because it loses the transactions of its blocks", async () => {
    const { post, stop } = await start();
    await anchored({ post }, "/api/v1/proof", { document_id: "a", hash: "ab".repeat(32) });
    await stop("keep");
    chain.proxy.intercept = ({ method }) =>
      method === "eth_getBlockByNumber"
        ? { change: (block) => (typeof block === "object" ? { ...block, transactions: [] } : block) }
        : "pass";
    const { get, post: ask } = await start();
    const refused = await ask("/api/v1/recovery/attest", { document_id: "a", audience: "court" });
    assert.equal(refused.status, 503, refused.text);
    const { status, body } = await get("/api/v1/status");
    assert.deepEqual([status, body.status], [200, "degraded"]);
    assert.lengthOf(body.problems, 1);
    assert.equal(body.problems[0].part, "node");
    assert.match(body.problems[0].reason, /^the node's responses about block \d+ are inconsistent/);
    const [alert] = (await get("/api/v1/alerts")).body.alerts;
    assert.deepEqual([alert.alert, alert.subject, alert.state], ["node_down", "contradiction", "raised"]);
  });

  it("names the journal when its rows were deleted, also after a restart, and accepts them again", async () => {
    const { post, stop } = await start();
    await anchored({ post }, "/api/v1/proof", { document_id: "a", hash: "ab".repeat(32) });
    await stop("keep");
    damage(chain.directory, "create table kept as select * from entries; delete from entries");
    for (let starts = 0; starts < 2; starts += 1) {
      const again = await start();
      await eventually(async () => {
        const { status, body } = await again.get("/api/v1/status");
        assert.deepEqual([status, body.status], [200, "degraded"]);
        assert.isAtLeast(body.journal.divergences, 1);
      });
      assert.equal((await again.get("/livez")).status, 200);
      await again.stop("keep");
    }
    damage(chain.directory, "insert into entries select * from kept; drop table kept");
    const { get: status } = await start();
    await eventually(async () => assert.equal((await status("/api/v1/status")).body.status, "ok"));
  });

  it("is not reached with another content of the chain's identity: a start ends with what to do", async () => {
    for (const content of ["{}", "not JSON"]) {
      await (await start()).stop("keep");
      server = undefined;
      damage(chain.directory, `update chain_identity set contracts = '${content}'`);
      const [text, ...rest] = startFailure(await thrownBy(start()));
      assert.match(String(text), /^Sealbook does not start: .* chain_identity was changed\. Restore the database/);
      assert.isEmpty(rest, "no stack trace");
      damage(chain.directory, "delete from chain_identity");
    }
  });
});
