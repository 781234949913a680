import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { Transaction } from "ethers";
import { hex } from "../../server/kit/bytes.ts";
import { eventually } from "../support/eventually.ts";
import { proofsOnDisk } from "../support/journal-rows.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

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

  it("is split until the invalid hash is alone with the reason, while the others are confirmed", async () => {
    const documents = Array.from({ length: 9 }, (_, n) => ({
      document_id: `split ${n}`,
      hash: randomBytes(32).toString("hex"),
      metadata: { timestamp: n },
    }));
    const bad = documents[5]?.hash ?? "";
    const database = new DatabaseSync(join(chain.directory, "sealbook.sqlite"), { readOnly: true });
    const anchorOf = database.prepare("select id from anchors where hash = ?");
    chain.proxy.refusal = (raw) => {
      const anchored = Buffer.from(Transaction.from(raw).data.slice(10, 74), "hex");
      const { id } = anchorOf.get(anchored) ?? {};
      const isUnder = proofsOnDisk(database).some((each) => each.anchor === id && hex(each.hash) === bad);
      return isUnder ? "intrinsic gas too low" : undefined;
    };
    const { status, body } = await server.post("/api/v1/proof/batch", { documents });
    assert.equal(status, 202, JSON.stringify(body).slice(0, 300));
    await eventually(async () => {
      for (const { document_id, hash } of documents) {
        const { body: found } = await server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`);
        assert.equal(found.status, hash === bad ? "pending" : "confirmed", document_id);
        if (hash === bad) assert.equal(found.reason, "intrinsic gas too low");
        else assert.isTrue((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
      }
    });
    await eventually(async () => {
      assert.match((await server.get("/metrics")).text, /^sealbook_anchor_failures_total [1-9]/m);
      assert.isTrue(
        server.log.some((line) => line.includes("cannot be split")),
        "it is in the log",
      );
    });

    // As soon as it is sent again, and the node takes it, it is anchored.
    chain.proxy.refusal = () => undefined;
    database.close();
    await server.post("/api/v1/proof", documents[5]);
    await eventually(async () => {
      assert.equal((await server.get("/api/v1/proof/split%205")).body.status, "confirmed");
    });
  });
});
