import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

const REASON = "intrinsic gas too low";

describe("a batch rejected by the node", function () {
  let chain: RemoteChain;
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    server = await startServer({ ...chain.variables, PROOF_WAIT: "2" }, { directory: chain.directory });
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
  });

  const alert = async (): Promise<ParsedJson> => {
    const { alerts } = (await server.get("/api/v1/alerts")).body;
    return alerts.find((each: ParsedJson) => each.subject === "rejected anchors" && each.state === "raised");
  };
  const failures = async (): Promise<number> => {
    const { text } = await server.get("/metrics");
    return Number(/^sealbook_anchor_failures_total (\d+)/m.exec(text)?.[1]);
  };

  it("stays whole with the reason, raises an alert at the third time, and is confirmed in the end", async () => {
    const documents = Array.from({ length: 9 }, (_, n) => ({
      document_id: `rejected ${n}`,
      hash: randomBytes(32).toString("hex"),
      metadata: { timestamp: n },
    }));
    chain.proxy.refusal = () => REASON;
    const { status, body } = await server.post("/api/v1/proof/batch", { documents });
    assert.equal(status, 202, JSON.stringify(body).slice(0, 300));
    await eventually(async () => assert.equal(await failures(), 1));
    assert.isUndefined(await alert());
    for (const times of [2, 3]) {
      // Who submits a document again, has its anchor sent again.
      const again = await server.post("/api/v1/proof", documents[times]);
      assert.equal(again.status, 202, again.text);
      await eventually(async () => assert.isAtLeast(await failures(), times));
    }
    for (const { document_id } of documents) {
      const { body: found } = await server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`);
      assert.deepInclude(found, { status: "pending", reason: REASON });
    }
    await eventually(async () =>
      assert.match((await alert()).message, /rejected the anchor [0-9a-f]{64} \d times: int/),
    );
    assert.isTrue(server.log.some((line) => line.includes("the chain rejects an anchor")));

    chain.proxy.refusal = () => undefined;
    await server.post("/api/v1/proof", documents[5]);
    const roots = new Set<string>();
    await eventually(async () => {
      for (const { document_id, hash } of documents) {
        const { body: found } = await server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`);
        assert.equal(found.status, "confirmed", document_id);
        roots.add(found.proof.merkle.root);
        assert.isTrue((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
      }
    });
    assert.lengthOf([...roots], 1);
    await eventually(async () => assert.isUndefined(await alert()));
  });
});
