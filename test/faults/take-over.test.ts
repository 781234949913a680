import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { Transaction } from "ethers";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import type { ServerProcess } from "../support/process.ts";
import { FAST_RECHECK } from "../support/server.ts";
import { type RelayerPair, startRelayerPair, FAST_CHANGE } from "../support/relayer-pair.ts";
import { allTransactions, anchoredHash, type MinedTransaction } from "../support/rpc.ts";

interface Document {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly timestamp: number };
}

for (const engine of ENGINES)
  describe(`a relayer whose transactions another one takes over, on ${engine}`, () => {
    let pair: RelayerPair;
    /** Everything that was accepted. */
    let accepted: Document[];

    beforeEach(async () => {
      pair = await startRelayerPair(await emptyDatabase(engine));
      accepted = [];
    });
    afterEach(() => pair.close());

    const documents = (count: number): Document[] =>
      Array.from({ length: count }, () => ({
        document_id: randomBytes(8).toString("hex"),
        hash: randomBytes(32).toString("hex"),
        metadata: { timestamp: 7 },
      }));
    /** Has a document accepted that shares an anchor with others, or several under one of their own. */
    const submit = async (server: ServerProcess, count: 1 | 2 | 3): Promise<void> => {
      const given = documents(count);
      const response =
        count === 1
          ? await server.post("/api/v1/proof", given[0])
          : await server.post("/api/v1/proof/batch", { documents: given });
      assert.oneOf(response.status, [201, 202], response.text);
      accepted.push(...given);
    };
    const proofOf = async (server: ServerProcess, { document_id }: Document): Promise<ParsedJson> => {
      const { body, text } = await server.get(`/api/v1/proof/${document_id}`);
      assert.equal(body.status, "confirmed", text);
      return body.proof;
    };

    const anchorsOnChain = async (): Promise<MinedTransaction[]> => {
      const senders = pair.seats.map(({ address }) => address.toLowerCase());
      return (await allTransactions(pair.url)).filter(({ from }) => senders.includes(from.toLowerCase()));
    };

    /** Waits until a relayer reports every proof as confirmed, and checks that the chain has each exactly once. */
    const assertConfirmedOnce = async (server: ServerProcess): Promise<void> => {
      const proofs: ParsedJson[] = await eventually(() =>
        Promise.all(accepted.map((document) => proofOf(server, document))),
      );
      const anchors = await anchorsOnChain();
      assert.deepEqual(
        anchors.map(({ input }) => input.slice(10, 74)).sort(),
        [...new Set(proofs.map(anchoredHash))].sort(),
      );
      for (const { hash } of accepted) assert.isTrue((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
    };
    const finished = (): Promise<void> =>
      eventually(async () => assert.deepEqual(await pair.stages(), { open: 0, queued: 0, signed: [] }));

    /** A batch in flight, one whose transaction was never sent, and one after the gap that it left. */
    const leaveGap = async (server: ServerProcess): Promise<void> => {
      const [{ proxy }] = pair.seats;
      proxy.refusal = (raw) => (Transaction.from(raw).nonce === 1 ? "the pool is full" : undefined);
      await submit(server, 1);
      await eventually(async () => assert.deepEqual((await pair.stages()).signed, [0]));
      await submit(server, 2);
      await eventually(async () => assert.deepEqual((await pair.stages()).signed, [0, 1]));
      await submit(server, 3);
      const delivered = (): number[] => proxy.delivered.map((raw) => Transaction.from(raw).nonce);
      await eventually(async () => assert.includeMembers(delivered(), [0, 2]));
      assert.notInclude(delivered(), 1);
    };

    it("is killed permanently: each hash is confirmed once, at whatever stage it was", async () => {
      const [first, second] = pair.seats;
      let dying = await first.start();
      await leaveGap(dying);
      first.proxy.mode = "off";
      await submit(dying, 2);
      await eventually(async () => assert.deepEqual(await pair.stages(), { open: 0, queued: 0, signed: [0, 1, 2, 3] }));
      await dying.end("SIGKILL");
      // Without a query for the next nonce it cannot sign.
      dying = await first.start();
      await submit(dying, 1);
      await eventually(async () => assert.deepEqual(await pair.stages(), { open: 0, queued: 1, signed: [0, 1, 2, 3] }));
      await submit(dying, 1);
      assert.deepEqual(await pair.stages(), { open: 1, queued: 1, signed: [0, 1, 2, 3] });
      await dying.end("SIGKILL");

      const other = await second.start({});
      await eventually(async () => assert.deepEqual(first.noncesOver(second.proxy), [0, 1, 2, 3]));
      await pair.mine();
      await assertConfirmedOnce(other);
      await finished();
      const anchors = await anchorsOnChain();
      const sentBy = (address: string): number =>
        anchors.filter(({ from }) => from.toLowerCase() === address.toLowerCase()).length;
      assert.deepEqual([sentBy(first.address), sentBy(second.address)], [4, 2], "what was signed kept its key");
      for (const document of accepted) {
        const again = await other.post("/api/v1/proof", document);
        assert.equal(again.status, 200, again.text);
        assert.deepEqual(again.body.proof, await proofOf(other, document));
      }
    });

    it("is killed beside another one, which leads at once and accepts", async () => {
      if (engine === "sqlite") return;
      const [first, second] = pair.seats;
      await pair.mine();
      // With the silence of `npm start`: a connection that is closed needs none.
      const dying = await first.start({ BATCH_MAX_AGE: "1" }, FAST_RECHECK);
      const other = await second.start({ BATCH_MAX_AGE: "1" }, FAST_RECHECK);
      await submit(dying, 2);
      await submit(other, 3);
      await dying.end("SIGKILL");
      const given = documents(1);
      await eventually(async () => {
        const { status, text } = await other.post("/api/v1/proof", given[0]);
        assert.oneOf(status, [201, 202], text);
      });
      accepted.push(...given);
      await assertConfirmedOnce(other);
      const again = await first.start({ BATCH_MAX_AGE: "1" }, FAST_RECHECK);
      await submit(again, 1);
      await assertConfirmedOnce(again);
    });

    // Security, relayer key: cannot lose transactions in flight: another key anchors their proofs
    it("is killed and its key loses the role: its transactions fail, the other key anchors the proofs", async () => {
      const [first, second] = pair.seats;
      await pair.mine();
      const dying = await first.start();
      await submit(dying, 1);
      await finished();
      first.proxy.mode = "off";
      await submit(dying, 2);
      await eventually(async () => assert.deepEqual((await pair.stages()).signed, [1]));
      await dying.end("SIGKILL");
      await pair.revoke(first.address);

      const other = await second.start({});
      const [, ...late] = accepted;
      const proofs: ParsedJson[] = await eventually(() =>
        Promise.all(late.map((document) => proofOf(other, document))),
      );
      const senders = (await anchorsOnChain())
        .filter(({ hash }) => hash === proofs[0].tx_hash)
        .map(({ from }) => from.toLowerCase());
      assert.deepEqual(senders, [second.address.toLowerCase()]);
      for (const { hash } of accepted) assert.isTrue((await other.get(`/api/v1/verify?hash=${hash}`)).body.valid);
    });

    it("is killed, and no node takes what it has signed: the other key signs the calls anew", async () => {
      const [first, second] = pair.seats;
      await pair.mine();
      const ofFirst = (raw: string) => (Transaction.from(raw).from === first.address ? "the pool is full" : undefined);
      for (const { proxy } of pair.seats) proxy.refusal = ofFirst;
      const dying = await first.start();
      await submit(dying, 1);
      await submit(dying, 2);
      await eventually(async () => assert.lengthOf((await pair.stages()).signed, 2));
      await dying.end("SIGKILL");
      const other = await second.start({}, { ...FAST_CHANGE, abandonMilliseconds: 2_000 });
      await assertConfirmedOnce(other);
      await finished();
      const senders = (await anchorsOnChain()).map(({ from }) => from.toLowerCase());
      assert.deepEqual([...new Set(senders)], [second.address.toLowerCase()]);
      assert.include(other.output(), "signed_anew");
    });

    it("halts for long and continues: each hash is confirmed once, and it accepts others", async () => {
      // An SQLite file has one process.
      if (engine === "sqlite") return;
      const [first, second] = pair.seats;
      const halting = await first.start({}, { ...FAST_CHANGE, settings: { proofs: { maxInFlight: 7 } } });
      await leaveGap(halting);
      await submit(halting, 1);
      assert.deepEqual(await pair.stages(), { open: 1, queued: 0, signed: [0, 1, 2] });
      await halting.pause();
      // One that halts while it writes lets nobody else write: that is another matter.
      while (await pair.isLocked()) {
        halting.resume();
        await sleep(20);
        await halting.pause();
      }

      const other = await second.start({});
      await pair.mine();
      await assertConfirmedOnce(other);
      await finished();
      assert.include(first.noncesOver(second.proxy), 1, "it was sent by the other one");
      first.proxy.refusal = () => undefined;
      halting.resume();
      await assertConfirmedOnce(halting);
      // It takes no more than seven at once: what the other one saw to does not count any more.
      const many = documents(7);
      await eventually(async () => {
        const { status, text } = await halting.post("/api/v1/proof/batch", { documents: many });
        assert.oneOf(status, [200, 201, 202], text);
      });
      accepted.push(...many);
      await finished();
      for (const server of [halting, other]) await assertConfirmedOnce(server);
    });
  });
