import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import type { HttpResponse } from "../support/http.ts";
import { LIES, type Lie, telling } from "../support/lies.ts";
import { inParallel } from "../support/parallel.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Servers that share the lies. */
const SERVERS = 6;

/** A server with its chain, and everything that it accepted. */
interface Scene {
  readonly chain: RemoteChain;
  readonly server: TestServer;
  readonly accepted: ProofRequest[];
}

const one = (): ProofRequest => freshDocuments(1)[0] ?? assert.fail();

/** Asserts that a proof is what the chain itself has. */
async function assertTrue({ chain }: Scene, proof: ParsedJson): Promise<void> {
  const receipt = await rpcCall(chain.url, "eth_getTransactionReceipt", proof.tx_hash);
  assert.equal(receipt?.status, "0x1", "the transaction of a confirmed proof");
  const block = await rpcCall(chain.url, "eth_getBlockByNumber", receipt.blockNumber, false);
  assert.deepEqual(
    [proof.block_number, proof.timestamp, proof.block_hash ?? block.hash],
    [Number(block.number), Number(block.timestamp), block.hash],
    "the block of a confirmed proof",
  );
}

/** Asserts that a signed statement names only blocks that the chain has, with their times. */
async function assertTrueStatement({ chain }: Scene, { statement }: ParsedJson): Promise<void> {
  const { queried_at: queriedAt } = statement.chain;
  for (const { block_number: number, block_hash: hash, timestamp } of [queriedAt, ...statement.records]) {
    const block = await rpcCall(chain.url, "eth_getBlockByNumber", `0x${Number(number).toString(16)}`, false);
    assert.deepEqual([hash, timestamp], [block.hash, Number(block.timestamp)], "a block of a statement");
  }
  for (const { first_anchor: first } of statement.records) {
    const block = await rpcCall(
      chain.url,
      "eth_getBlockByNumber",
      `0x${Number(first.block_number).toString(16)}`,
      false,
    );
    assert.equal(first.timestamp, Number(block.timestamp), "the first anchor of a statement");
  }
}

/** Records a document at once, without waiting for others. */
function record({ server, accepted }: Scene, document: ProofRequest): Promise<HttpResponse> {
  accepted.push(document);
  return server.post("/api/v1/proof/batch", { documents: [document] });
}

/** While a confirmation is missing on the chain, as far as the node says, the divergence is the reason of a refusal. */
function assertSignedOrRefused({ status, body, text }: HttpResponse): void {
  if (!String(body.type).endsWith(":journal_damaged")) assert.oneOf(status, [200, 404, 409, 503], text);
  else assert.match(body.detail, /Nothing is signed while this divergence is open/);
}

/** Asserts that nothing untrue is returned as confirmed, as valid or signed; errors and `pending` are no lies. */
async function assertNoLie(scene: Scene, known: ProofRequest, fresh: ProofRequest): Promise<void> {
  const { server } = scene;
  const [posted, verified, found, bundle, attested] = await Promise.all([
    record(scene, fresh),
    server.get(`/api/v1/verify?hash=${known.hash}`),
    server.get(`/api/v1/proof/${idOf(known)}`),
    server.get(`/api/v1/proof/${idOf(known)}?format=bundle`),
    server.post("/api/v1/recovery/attest", { document_id: known.document_id, audience: "court" }),
  ]);
  assert.oneOf(posted.status, [201, 202], posted.text);
  if (posted.status === 201) await assertTrue(scene, posted.body.proofs[0].proof);
  assert.oneOf(verified.status, [200, 503], verified.text);
  if (verified.body.valid === true) await assertTrue(scene, verified.body.proof);
  assert.equal(found.status, 200, found.text);
  if (found.body.status === "confirmed") await assertTrue(scene, found.body.proof);
  assertSignedOrRefused(bundle);
  if (bundle.status === 200)
    assert.equal(bundle.body.block.hash, found.body.proof.block_hash, "the block of a signed bundle");
  assertSignedOrRefused(attested);
  if (attested.status === 200) await assertTrueStatement(scene, attested.body);
}

/** Lets a node lie, and asserts that the server is right and complete afterwards. */
async function play(scene: Scene, lie: Lie): Promise<void> {
  const { chain, server } = scene;
  const [known, fresh, later] = [scene.accepted.at(-1) ?? assert.fail(), one(), one()];
  chain.proxy.intercept = telling(lie);
  await assertNoLie(scene, known, fresh);
  chain.proxy.mode = "pass";
  await record(scene, later);
  await eventually(async () => {
    for (const document of [known, fresh, later]) {
      const { body } = await server.get(`/api/v1/proof/${idOf(document)}`);
      assert.equal(body.status, "confirmed");
      await assertTrue(scene, body.proof);
    }
  });
}

async function playAll(lies: readonly Lie[]): Promise<void> {
  const chain = await startRemoteChain(startRawNode);
  const server = await startServer(
    { ...chain.variables, PROOF_WAIT: "1", BATCH_MAX_AGE: "1" },
    {
      directory: chain.directory,
      overrides: { nodeIntervalMilliseconds: 100 },
      settings: { journal: { reconcileIntervalMilliseconds: 500 } },
    },
  );
  const scene: Scene = { chain, server, accepted: [] };
  try {
    const first = one();
    assert.oneOf((await record(scene, first)).status, [201, 202]);
    await eventually(async () => {
      assert.equal((await server.get(`/api/v1/proof/${idOf(first)}`)).body.status, "confirmed");
    });
    for (const lie of lies) {
      await play(scene, lie).catch((error: unknown) => {
        throw new Error(`while the node lied: ${lie.title}`, { cause: error });
      });
    }
    await assertExactlyOnce(server, chain.url, scene);
    await eventually(async () => {
      const { alerts } = (await server.get("/api/v1/alerts")).body;
      assert.isEmpty(alerts.filter(({ state }: { state: string }) => state === "raised"));
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 0);
    });
  } finally {
    await server.stop("keep");
    await chain.close();
  }
}

describe("a node that lies in one field: nothing untrue is confirmed, valid or signed, and work is completed", () => {
  inParallel(
    Object.fromEntries(
      Array.from({ length: SERVERS }, (_, part) => [
        `part ${part + 1} of ${SERVERS}`,
        () => playAll(LIES.filter((_lie, index) => index % SERVERS === part)),
      ]),
    ),
  );
});
