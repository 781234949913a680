import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { type FaultyProxy, type Intercept, only, RECEIPTS, startFaultyProxy } from "../support/faulty-proxy.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RawAnvil, startRawAnvil, startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

const COUNT = "eth_getTransactionCount";

/** Changes the hash of every block except the first one, which names the chain. */
const otherHashes: Intercept = ({ method, params }) =>
  method === "eth_getBlockByNumber" && params[0] !== "0x0"
    ? { change: (block) => ({ ...(block as object), hash: `0x${"ab".repeat(32)}` }) }
    : "pass";

describe("trust in the chain's nodes", function () {
  let chain: RemoteChain;
  let server: TestServer;

  const start = async (variables: Record<string, string> = {}): Promise<void> => {
    server = await startServer(
      { ...chain.variables, PROOF_WAIT: "1", BATCH_MAX_AGE: "1", ...variables },
      {
        directory: chain.directory,
        overrides: { nodeIntervalMilliseconds: 50, chainLagMilliseconds: 500 },
        settings: { journal: { reconcileIntervalMilliseconds: 200 } },
      },
    );
  };
  const record = async (status = 201): Promise<ProofRequest> => {
    const [document = assert.fail()] = freshDocuments(1);
    const body = { documents: [document] };
    if (status === 201) await anchored(server, "/api/v1/proof/batch", body);
    else {
      const response = await server.post("/api/v1/proof/batch", body);
      assert.equal(response.status, status, response.text);
    }
    return document;
  };
  const attest = ({ document_id }: ProofRequest): Promise<HttpResponse> =>
    server.post("/api/v1/recovery/attest", { document_id, audience: "court" });
  const verify = async ({ hash }: ProofRequest): Promise<ParsedJson> =>
    (await server.get(`/api/v1/verify?hash=${hash}`)).body;
  const divergences = async (state: string): Promise<ParsedJson[]> => {
    const { alerts } = (await server.get("/api/v1/alerts")).body;
    return alerts.filter((each: ParsedJson) => each.alert === "journal_divergence" && each.state === state);
  };

  beforeEach(async () => {
    chain = await startRemoteChain(startRawNode);
  });
  afterEach(async () => {
    await server.stop("keep");
    await chain.close();
  });

  it("verifies a proof on chain when the journal lost its confirmation, and restores the confirmation", async () => {
    await start();
    const document = await record();
    const { proof } = (await server.get(`/api/v1/proof/${idOf(document)}`)).body;
    const database = new DatabaseSync(join(chain.directory, "sealbook.sqlite"));
    database.exec("update anchors set confirmation = null");
    database.close();
    const verified = await verify(document);
    assert.isTrue(verified.valid, verified.message);
    assert.deepInclude(verified.proof, { tx_hash: proof.tx_hash, block_number: proof.block_number });
    await eventually(async () => {
      const { body } = await server.get(`/api/v1/proof/${idOf(document)}`);
      assert.deepEqual([body.status, body.proof], ["confirmed", proof]);
    });
  });

  // Security, node: a block that a node withholds is no divergence of the journal; nothing is verified or signed then
  it("takes a block that the node withholds for a contradiction of the node, also after a restart", async () => {
    await start();
    const document = await record();
    const { proof } = (await server.get(`/api/v1/proof/${idOf(document)}`)).body;
    const number = `0x${Number(proof.block_number).toString(16)}`;
    const compare = (): Promise<HttpResponse> =>
      server.post("/api/v1/recovery/verify", {
        documents: [{ document_id: document.document_id, hash: document.hash }],
      });
    for (const withheld of [[number], RECEIPTS, [number, ...RECEIPTS]]) {
      chain.proxy.intercept = ({ method, params }) =>
        withheld.includes(String(params[0])) || withheld.includes(method) ? { result: null } : "pass";
      // What was read before is compared by its hash: a new process reads it again.
      await server.stop("keep");
      await start();
      for (const refused of [
        await server.get(`/api/v1/verify?hash=${document.hash}`),
        await compare(),
        await attest(document),
        await server.get(`/api/v1/proof/${idOf(document)}?format=bundle`),
      ]) {
        assert.equal(refused.status, 503, refused.text);
        assert.notEqual(refused.headers.get("Retry-After"), null);
      }
      assert.isEmpty(await divergences("raised"));
    }
    chain.proxy.mode = "pass";
    assert.isTrue((await verify(document)).valid);
    assert.equal((await compare()).body.documents[0].result, "match");
  });

  it("fills the nonces that it left out because a node returned too high a count", async () => {
    await start();
    const accepted = [await record()];
    await server.stop("keep");
    chain.proxy.intercept = only([COUNT], () => ({ change: (count) => `0x${(Number(count) + 3).toString(16)}` }));
    await start();
    accepted.push(await record(202), await record(202));
    chain.proxy.mode = "pass";
    await assertExactlyOnce(server, chain.url, { accepted });
  });

  describe("with one node", function () {
    it("states that times are the node's word on a chain without seals", async () => {
      await start();
      const { statement } = (await attest(await record())).body;
      assert.isTrue(statement.limitations.some((each: string) => each.includes("the issuer's one node returned")));
    });
  });

  describe("with two nodes", function () {
    let second: FaultyProxy;
    let other: RawAnvil | undefined;
    beforeEach(async () => {
      second = await startFaultyProxy(chain.url);
      await start({ RPC_URL: `${chain.proxy.url},${second.url}` });
    });
    afterEach(async () => {
      await second.close();
      await other?.stop();
      other = undefined;
    });

    // Security, node: one of several nodes gets no statement or bundle signed for a block that no other node has
    it("signs nothing while they disagree on a block", async () => {
      const document = await record();
      const bundle = (): Promise<HttpResponse> => server.get(`/api/v1/proof/${idOf(document)}?format=bundle`);
      assert.deepEqual([(await attest(document)).status, (await bundle()).status], [200, 200]);
      second.intercept = otherHashes;
      assert.deepEqual([(await attest(document)).status, (await bundle()).status], [503, 503]);
      second.mode = "pass";
      const { statement } = (await attest(document)).body;
      assert.isTrue(statement.limitations.some((each: string) => each.includes("2 nodes of the chain agreed")));
    });

    it("does not use one that serves another chain, and shows why", async () => {
      other = await startRawAnvil(0, "london");
      second.target = other.http;
      const address = await eventually(async () => {
        const { body } = await server.get("/api/v1/status");
        assert.isFalse(body.node.addresses[1].reachable);
        return body.node.addresses[1];
      });
      assert.match(address.reason, /^the node serves another chain: /);
      assert.isFalse(address.active);
      await record();
      assert.equal((await server.get("/readyz")).status, 200);
    });
  });
});
