import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { keccak256 } from "ethers";
import { ENGINES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { hang, only, RECEIPTS, SEND } from "../support/faulty-proxy.ts";
import type { HttpResponse } from "../support/http.ts";
import { inParallel } from "../support/parallel.ts";
import { rpcCall } from "../support/rpc.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { startVictim, type Victim } from "../support/victim.ts";

/** How documents are posted. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly count: number;
  bodyOf(documents: readonly ProofRequest[]): unknown;
}

const KINDS: readonly Kind[] = [
  { name: "a single post", path: "/api/v1/proof", count: 1, bodyOf: ([document]) => document },
  { name: "a bulk post", path: "/api/v1/proof/batch", count: 5, bodyOf: (documents) => ({ documents }) },
];

/** Each brings what is posted to one state, holds it there, kills the relayer, and looks at what becomes of it. */
const STATES: Readonly<Record<string, (victim: Victim, kind: Kind) => Promise<void>>> = {
  async "not on disk: it is accepted when it is posted again"(victim, { path, count, bodyOf }) {
    const documents = freshDocuments(count);
    const release = await victim.database.hold();
    const response = victim.post(path, bodyOf(documents));
    // For it to have come in; it waits for the disk then.
    await sleep(200);
    await victim.kill(response);
    await release();
    await victim.until("missing", documents);
    await victim.restart();
    await assertExactlyOnce(victim.server, victim.chain.url, { accepted: victim.accepted, unacknowledged: documents });
    victim.accepted.push(...documents);
  },

  async "batched and not signed: it is signed and confirmed"(victim, { path, count, bodyOf }) {
    const documents = freshDocuments(count);
    await victim.server.end("SIGKILL");
    // Nothing is signed before the node has returned the nonce.
    victim.chain.proxy.mode = "off";
    await victim.start();
    const response = victim.post(path, bodyOf(documents));
    await victim.until("batched", documents);
    await victim.kill(response);
    await victim.restart();
    await victim.confirmed(documents);
  },

  async "signed, and never received by the node: the same bytes are sent"(victim, { path, count, bodyOf }) {
    const documents = freshDocuments(count);
    const { proxy } = victim.chain;
    proxy.intercept = only([SEND], hang);
    const from = proxy.attempted.length;
    const response = victim.post(path, bodyOf(documents));
    await victim.until("signed", documents);
    await eventually(async () => assert.isAbove(proxy.attempted.length, from));
    await victim.kill(response);
    await victim.restart();
    await victim.confirmed(documents);
    assert.lengthOf(new Set(proxy.attempted.slice(from)), 1, "it was signed once");
  },

  async "in the node's pool: it is mined once"(victim, { path, count, bodyOf }) {
    const documents = freshDocuments(count);
    const { proxy, url } = victim.chain;
    await rpcCall(url, "evm_setAutomine", false);
    const from = proxy.attempted.length;
    const response = victim.post(path, bodyOf(documents));
    await eventually(async () => assert.equal((await rpcCall(url, "txpool_status")).pending, "0x1"));
    await victim.until("signed", documents);
    await victim.kill(response);
    await victim.restart();
    await eventually(async () => assert.isAbove(proxy.attempted.length, from + 1, "it is sent again"));
    await rpcCall(url, "evm_setAutomine", true);
    await rpcCall(url, "evm_mine");
    await victim.confirmed(documents);
    assert.lengthOf(new Set(proxy.attempted.slice(from)), 1, "it was signed once");
  },

  async "mined, and the receipt was not read: it is found on the chain"(victim, { path, count, bodyOf }) {
    const documents = freshDocuments(count);
    const { proxy, url } = victim.chain;
    proxy.intercept = only(RECEIPTS, hang);
    const [attempted, delivered] = [proxy.attempted.length, proxy.delivered.length];
    const response = victim.post(path, bodyOf(documents));
    await eventually(async () => {
      const raw = proxy.delivered[delivered] ?? assert.fail("not sent yet");
      assert.isNotNull(await rpcCall(url, "eth_getTransactionReceipt", keccak256(raw)));
    });
    await victim.kill(response);
    await victim.until("signed", documents);
    await victim.restart();
    await victim.confirmed(documents);
    assert.lengthOf(proxy.attempted.slice(attempted), 1, "it was sent once");
  },

  async "confirmed in the journal, and the client has no response: it is returned by its id, and for the same post"(
    victim,
    { path, count, bodyOf },
  ) {
    const documents = freshDocuments(count);
    const line = await startTcpProxy(Number(new URL(victim.server.url).port));
    try {
      line.deaf = true;
      const response = victim.post(path, bodyOf(documents), `http://127.0.0.1:${line.port}`);
      await victim.until("journalled", documents);
      await victim.kill(response);
    } finally {
      await line.close();
    }
    await victim.restart();
    await victim.confirmed(documents);
    const again = await victim.server.post(path, bodyOf(documents));
    assert.equal(again.status, 200);
    const proofs: HttpResponse["body"][] = again.body.proofs ?? [again.body];
    for (const [index, document] of documents.entries()) {
      assert.deepEqual(proofs[index], (await victim.server.get(`/api/v1/proof/${idOf(document)}`)).body);
    }
  },
};

/** Only single posts wait in an open batch: it stays open while another is in flight. */
async function inOpenBatch(victim: Victim): Promise<void> {
  victim.chain.proxy.intercept = only([SEND], hang);
  const [first, ...others] = freshDocuments(4);
  assert.isDefined(first);
  const ahead = victim.post("/api/v1/proof", first);
  await victim.until("signed", [first]);
  const responses = others.map((document) => victim.post("/api/v1/proof", document));
  await victim.until("accepted", others);
  await victim.kill(ahead);
  assert.deepEqual(await Promise.all(responses), ["lost", "lost", "lost"]);
  await victim.restart();
  await victim.confirmed([first, ...others]);
}

for (const engine of ENGINES)
  describe(`the relayer on ${engine}, killed with kill -9 when`, () => {
    const victims: Promise<Victim>[] = [];
    const start = (): Promise<Victim> => {
      const victim = startVictim(engine);
      victims.push(victim);
      return victim;
    };
    const cases: Record<string, () => Promise<void>> = {};
    for (const kind of KINDS) {
      // The same one is killed in every state, one after the other, so that no kill undoes what an earlier one left.
      let free: Promise<Victim> | undefined;
      const add = (state: string, play: (victim: Victim, kind: Kind) => Promise<void>): void => {
        cases[`${kind.name} is ${state}`] = () => {
          const before = (free ??= start());
          const played = before.then((victim) => play(victim, kind));
          free = played.then(
            () => before,
            () => before,
          );
          return played;
        };
      };
      if (kind.count === 1) add("in an open batch: it is closed and confirmed", inOpenBatch);
      for (const [state, play] of Object.entries(STATES)) add(state, play);
    }
    inParallel(cases);
    after(async () => {
      for (const victim of victims) await (await victim).close();
    });
  });
