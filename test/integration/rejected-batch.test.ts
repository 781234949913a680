import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { assert } from "chai";
import { id, Transaction, Wallet } from "ethers";
import * as z from "zod";
import { deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import { eventually } from "../support/eventually.ts";
import { FEES } from "../support/fees.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

const CHAIN_ID = 7326;
const Deployment = z.object({ contracts: z.object({ ProofAnchor: z.string() }) });
const REASON = "intrinsic gas too low";

/** Sends a call as the administrator. */
async function administer({ url, variables }: RemoteChain, to: string, data: string): Promise<void> {
  const rpc = connectRpc(url, CHAIN_ID);
  await sendAdministratorCall(rpc, new Wallet(variables["ADMIN_KEY"] ?? ""), { to, data, fees: FEES });
  rpc.close();
}

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
    // An empty transaction fills the nonce.
    chain.proxy.refusal = (raw) => (Transaction.from(raw).data === "0x" ? undefined : REASON);
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
      assert.deepInclude(found, { status: "pending", reason: `a node refused the transaction: ${REASON}` });
    }
    await eventually(async () =>
      assert.match(
        (await alert()).message,
        /rejected the anchor [0-9a-f]{64} \d times: a node refused the transaction: int/,
      ),
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

  // Security, relayer key: cannot have a batch confirmed by its root with another size: it waits with an alert
  it("is not confirmed by its root as a hash alone, which another holder of the role anchored first", async () => {
    const documents = ["a", "b"].map((document_id) => ({
      document_id,
      hash: randomBytes(32).toString("hex"),
      metadata: { timestamp: 1 },
    }));
    const hashes = documents.map(({ document_id: documentId, hash }) =>
      recordHash({ documentId, hash: Buffer.from(hash, "hex"), timestamp: 1 }),
    );
    const { hash: root } = contentOver(hashes).content;
    const { ProofAnchor: to } = Deployment.parse(
      JSON.parse(await readFile(deploymentFile(chain.directory, CHAIN_ID), "utf8")),
    ).contracts;
    const { address } = new Wallet(chain.variables["ADMIN_KEY"] ?? "");
    const abi = INTERFACES.ProofAnchor;
    await administer(chain, to, abi.encodeFunctionData("grantRole", [id("RELAYER_ROLE"), address]));
    await administer(chain, to, abi.encodeFunctionData("anchor", [root]));

    const { status, body } = await server.post("/api/v1/proof/batch", { documents });
    assert.equal(status, 202, JSON.stringify(body));
    await eventually(async () => {
      assert.equal((await server.post("/api/v1/proof", documents[0])).status, 202);
      assert.match((await alert()).message, /times: the contract has this anchor already, as a hash alone/);
    });
    for (const { document_id, hash } of documents) {
      // It has no reason while it is sent again.
      await eventually(async () => {
        const { body: found } = await server.get(`/api/v1/proof/${document_id}`);
        assert.equal(found.status, "pending");
        assert.match(found.reason, /another holder of the relayer's role sent it/);
      });
      assert.isFalse((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
    }
  });
});
