import { Agent, get } from "node:http";
import { assert } from "chai";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const REQUESTS = 300;
/** Without a limit for each source, a third of them. */
const MOST_MEANWHILE = 50;

describe("a source with very many requests", () => {
  let server: TestServer;
  let page: string;
  before(async () => {
    server = await startServer();
    const { body } = await server.post("/api/v1/proof/batch", { documents: freshDocuments(1_000) });
    page = `/api/v1/proof/batch/${body.batch.id}?limit=100`;
  });
  after(() => server.stop());

  function send(agent: Agent, path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      get(new URL(path, server.url), { agent }, (response) => {
        response.on("end", () => resolve(response.statusCode ?? 0)).resume();
      }).on("error", reject);
    });
  }

  // Security, network: cannot keep other sources waiting with heavy requests: one of a source runs at a time
  it("waits for its own heavy requests, and others do not", async () => {
    const busy = new Agent({ keepAlive: true, localAddress: "127.0.0.2" });
    const other = new Agent({ keepAlive: true, localAddress: "127.0.0.3" });
    assert.equal(await send(other, "/api/v1/status"), 200);
    let done = 0;
    const all = Array.from({ length: REQUESTS }, () => send(busy, page).then((status) => ((done += 1), status)));
    assert.equal(await all[0], 200);
    for (let count = 0; count < 10; count += 1) assert.equal(await send(other, "/api/v1/status"), 200);
    assert.isBelow(done, MOST_MEANWHILE);
    assert.deepEqual(new Set(await Promise.all(all)), new Set([200]));
    for (const agent of [busy, other]) agent.destroy();
  });
});
