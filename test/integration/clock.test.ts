import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments, idOf } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const DAYS = 86_400_000;

async function skewAlerts(server: TestServer): Promise<string[]> {
  const { body } = await server.get("/api/v1/alerts");
  return body.alerts
    .filter(({ alert }: { alert: string }) => alert === "clock_skew")
    .map(({ state }: { state: string }) => state);
}

describe("a clock that is set 400 days forward and back", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  it("changes no block time of the embedded chain while the server runs, and loses nothing", async () => {
    let ahead = 0;
    const server = await startServer(
      { PROOF_WAIT: "1" },
      { directory, overrides: { clock: () => Date.now() + ahead } },
    );
    try {
      const [before = assert.fail(), meanwhile, after = assert.fail()] = freshDocuments(3);
      await anchored(server, "/api/v1/proof", before);
      ahead = 400 * DAYS;
      const pending = await server.post("/api/v1/proof", meanwhile);
      assert.equal(pending.status, 202, pending.text);
      await eventually(async () => assert.deepEqual(await skewAlerts(server), ["raised"]));
      const { body } = await server.get("/api/v1/status");
      assert.equal(body.status, "degraded");
      assert.isAtLeast(body.uptime, 0);
      assert.isBelow(body.uptime, 86_400, "the uptime is not of the wall clock");

      ahead = 0;
      await eventually(async () => {
        const { body: proof } = await server.get(`/api/v1/proof/${meanwhile && idOf(meanwhile)}`);
        assert.equal(proof.status, "confirmed");
        assert.closeTo(proof.proof.timestamp, Date.now() / 1000, 60);
      });
      await anchored(server, "/api/v1/proof", after);
      await eventually(async () => {
        assert.deepEqual(await skewAlerts(server), ["resolved"]);
        assert.equal((await server.get("/api/v1/status")).body.status, "ok");
      });
      assert.lengthOf(
        server.log.filter((line) => line.includes("embedded chain: clock-ahead")),
        1,
      );
    } finally {
      await server.stop("keep");
    }
  });

  it("is reported after blocks with its time; later blocks do not run further ahead", async () => {
    const wrong = await startServer({}, { directory, overrides: { clock: () => Date.now() + 400 * DAYS } });
    const [first, second, third] = freshDocuments(3);
    const made = await wrong.post("/api/v1/proof", first);
    assert.equal(made.status, 201);
    await wrong.stop("keep");

    const server = await startServer({}, { directory });
    try {
      await eventually(async () => assert.deepEqual(await skewAlerts(server), ["raised"]));
      const { body } = await server.get("/api/v1/status");
      assert.equal(body.status, "degraded");
      assert.closeTo(body.node.clock_skew, (400 * DAYS) / 1000, 60);
      assert.isAtLeast(body.uptime, 0);
      const times = [];
      for (const document of [second, third]) {
        const response = await server.post("/api/v1/proof", document);
        assert.equal(response.status, 201, response.text);
        times.push(response.body.proof.timestamp - made.body.proof.timestamp);
      }
      assert.isAtMost(Math.max(...times), 60, "not further ahead than the chain was");
    } finally {
      await server.stop("keep");
    }
  });

  it("does not delay proofs when it is set back while the server runs", async () => {
    let ahead = 400 * DAYS;
    const server = await startServer({}, { directory, overrides: { clock: () => Date.now() + ahead } });
    try {
      const [before, after] = freshDocuments(2);
      assert.equal((await server.post("/api/v1/proof", before)).status, 201);
      ahead = 0;
      const response = await server.post("/api/v1/proof", after);
      assert.equal(response.status, 201, response.text);
      assert.isAtLeast((await server.get("/api/v1/status")).body.uptime, 0);
    } finally {
      await server.stop("keep");
    }
  });
});
