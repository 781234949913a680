import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { startServer, type TestServer } from "../support/server.ts";

const PROOFS = 5_000;

describe("a document with very many proofs", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    for (let made = 0; made < PROOFS; made += 1_000) {
      const documents = Array.from({ length: 1_000 }, (_, index) => ({
        document_id: "many",
        hash: randomBytes(32).toString("hex"),
        metadata: { timestamp: made + index },
      }));
      const { status, text } = await server.post("/api/v1/proof/batch", { documents });
      assert.equal(status, 201, text.slice(0, 300));
    }
  });
  after(() => server.stop());

  // Security, network: cannot make a query for a document expensive by proving it very often
  it("costs a page, not all of them", async () => {
    const { body, text } = await server.get("/api/v1/proof/many");
    assert.equal(body.proof.metadata.timestamp, PROOFS - 1);
    assert.lengthOf(body.history, 100);
    assert.isString(body.next);
    assert.isBelow(text.length, 300_000);
  });
});
