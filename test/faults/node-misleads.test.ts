import { join } from "node:path";
import { assert } from "chai";
import { type TransactionRequest, Wallet } from "ethers";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { hang, type Intercept, only, SEND } from "../support/faulty-proxy.ts";
import { onScene, type Scene } from "../support/faults.ts";
import { inParallel } from "../support/parallel.ts";
import { rpcCall } from "../support/rpc.ts";
import { sqliteDatabase } from "../support/sqlite-database.ts";
import { stageOf } from "../support/stage.ts";

/** Posts bulks one after the other, each a transaction of its own, in the order of their nonces. */
async function postBulks({ server }: Scene, count: number): Promise<ProofRequest[]> {
  const all: ProofRequest[] = [];
  for (let bulk = 0; bulk < count; bulk += 1) {
    const documents = freshDocuments(2);
    const { status, text } = await server.post("/api/v1/proof/batch", { documents });
    assert.oneOf(status, [201, 202], text);
    all.push(...documents);
  }
  return all;
}

/** Waits until everything accepted is confirmed: the relayer's next nonce is that of the chain then. */
async function confirmed({ server }: Scene): Promise<void> {
  await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.pending, 0));
}

/** Waits until documents are signed, and asserts that none is confirmed. */
async function signed({ chain }: Scene, documents: readonly ProofRequest[]): Promise<void> {
  const database = sqliteDatabase(join(chain.directory, "sealbook.sqlite"));
  await eventually(async () => {
    for (const document of documents) assert.equal(await stageOf(database, document), "signed");
  });
}

/** Reads as of a block that is not the newest any more, though what is sent gets to the chain. */
async function lagging(url: string, { hasNonces }: { hasNonces: boolean }): Promise<Intercept> {
  const newest = await rpcCall(url, "eth_getBlockByNumber", "latest", false);
  const isLater = (number: unknown) => Number(number) > Number(newest.number);
  return ({ method, params: [first, second] }) => {
    switch (method) {
      case "eth_blockNumber":
        return { result: newest.number };
      case "eth_getBlockByNumber":
        return first === "latest" ? { result: newest } : isLater(first) ? { result: null } : "pass";
      case "eth_getBlockReceipts":
        return isLater(first) ? { result: null } : "pass";
      case "eth_getTransactionReceipt":
        return {
          change: (receipt) => (isLater((receipt as { blockNumber: string } | null)?.blockNumber) ? null : receipt),
        };
      case "eth_getTransactionCount":
        if (hasNonces || second !== "latest") return "pass";
        return rpcCall(url, method, first, newest.number).then((result: unknown) => ({ result }));
      default:
        return "pass";
    }
  };
}

const lag = (options: { hasNonces: boolean }) => (): Promise<void> =>
  onScene(async (scene) => {
    const { chain, server } = scene;
    const accepted = await postBulks(scene, 1);
    chain.proxy.intercept = await lagging(chain.url, options);
    accepted.push(...(await postBulks(scene, 2)));
    await signed(scene, accepted.slice(2));
    // Each was sent again, and the node said that the nonce is used.
    const { length } = chain.proxy.delivered;
    await eventually(async () => assert.isAtLeast(chain.proxy.delivered.length, length + 4));
    chain.proxy.mode = "pass";
    await assertExactlyOnce(server, chain.url, { accepted });
  });

/** Another sender with the relayer's key. */
async function outsiderSends({ chain, node }: Scene, ahead: number): Promise<void> {
  const wallet = new Wallet(chain.variables.RELAYER_KEY ?? "");
  const nonce = Number(await node("eth_getTransactionCount", wallet.address, "latest")) + ahead;
  const transaction: TransactionRequest = {
    type: 0,
    chainId: Number(await node("eth_chainId")),
    to: wallet.address,
    gasPrice: 0n,
    gasLimit: 21_000n,
  };
  await node(SEND, await wallet.signTransaction({ ...transaction, nonce }));
}

describe("a node with wrong responses: every hash accepted meanwhile is anchored once when", () => {
  inParallel({
    "it lags": lag({ hasNonces: false }),
    "it is behind a load balancer, and other nodes return the nonces": lag({ hasNonces: true }),
    "it loses the first of several transactions": () =>
      onScene(async (scene) => {
        const { chain, server, node } = scene;
        await node("evm_setAutomine", false);
        const accepted = await postBulks(scene, 3);
        await eventually(async () => assert.equal((await node("txpool_status")).pending, "0x3"));
        const content = await node("txpool_content");
        const [first]: { hash: string }[] = Object.values(
          Object.values<Record<string, { hash: string }>>(content.pending)[0] ?? {},
        );
        await node("anvil_dropTransaction", first?.hash);
        await node("evm_setAutomine", true);
        await node("evm_mine");
        await assertExactlyOnce(server, chain.url, { accepted });
      }),
    "another sender used the next nonce": () =>
      onScene(async (scene) => {
        const accepted = await postBulks(scene, 1);
        await confirmed(scene);
        await outsiderSends(scene, 0);
        accepted.push(...(await postBulks(scene, 2)));
        await assertExactlyOnce(scene.server, scene.chain.url, { accepted });
      }),
    "another sender used the nonce of the first of several signed transactions": () =>
      onScene(async (scene) => {
        const { chain, server } = scene;
        chain.proxy.intercept = only([SEND], hang);
        const accepted = await postBulks(scene, 3);
        await signed(scene, accepted);
        await outsiderSends(scene, 0);
        chain.proxy.mode = "pass";
        await assertExactlyOnce(server, chain.url, { accepted });
      }),
    "another sender has a later nonce in the pool": () =>
      onScene(async (scene) => {
        const accepted = await postBulks(scene, 1);
        await confirmed(scene);
        await outsiderSends(scene, 2);
        accepted.push(...(await postBulks(scene, 4)));
        await assertExactlyOnce(scene.server, scene.chain.url, { accepted });
      }),
  });
});
