import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

describe("back-pressure and the promised deadline", function () {
  let chain: RemoteChain;
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    server = await startServer(
      { ...chain.variables, PROOF_WAIT: "1" },
      { directory: chain.directory, settings: { proofs: { maxInFlight: 10, anchorDeadlineMilliseconds: 1_000 } } },
    );
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
  });
  const documents = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => ({ document_id: `${name} ${n}`, hash: randomBytes(32).toString("hex") }));

  it("rejects with 503 past the limit, loses no accepted proof, and accepts again afterwards", async () => {
    chain.proxy.mode = "off";
    const taken = await Promise.all(documents(10, "taken").map((body) => server.post("/api/v1/proof", body)));
    for (const { status } of taken) assert.equal(status, 202);
    const refused = await server.post("/api/v1/proof", documents(1, "refused")[0]);
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(refused.body.type, "urn:sealbook:problem:overloaded");
    assert.equal((await server.post("/api/v1/proof/batch", { documents: documents(2, "refused") })).status, 503);
    const logged = (state: string) =>
      server.log.some((line) => line.includes("degraded_performance") && line.includes(state));
    await eventually(async () => assert.isTrue(logged("raised"), "the alert is raised"));
    assert.match((await server.get("/metrics")).text, /^sealbook_proof_oldest_pending_seconds [1-9]/m);
    chain.proxy.mode = "pass";
    await eventually(async () => {
      for (const { body } of taken)
        assert.equal((await server.get(`/api/v1/proof/${body.id}`)).body.status, "confirmed");
    });
    assert.equal((await server.get("/api/v1/proof/refused%200")).status, 404);
    await eventually(async () => assert.isTrue(logged("resolved"), "the alert is resolved"));
    assert.include([201, 202], (await server.post("/api/v1/proof", documents(1, "after")[0])).status);
  });
});
