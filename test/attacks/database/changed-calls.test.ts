import { assert } from "chai";
import { Wallet } from "ethers";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { allTransactions } from "../../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";
import { type LocalSigner, startLocalSigner } from "../../support/web3-signer.ts";

/** The data of an earlier call of the same purpose, or of another one. */
const EARLIER = (purpose: string): string =>
  `(select raw from transactions where purpose = '${purpose}' and raw is not null order by id limit 1)`;

for (const access of EVERY_ACCESS)
  describe(`calls that ${access.who} changes by triggers, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    let signer: LocalSigner;

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(access.engine);
      // A call waits for such a key after it is written: then it can be changed.
      const { privateKey, address } = Wallet.createRandom();
      signer = await startLocalSigner([privateKey]);
      server = await startServer(
        { DATABASE_URL: database.url, RELAYER_SIGNER_URL: signer.url, RELAYER_ADDRESS: address },
        {
          directory,
          settings: {
            journal: { reconcileIntervalMilliseconds: 200, checkpointIntervalMilliseconds: 2 ** 31 - 1 },
            proofs: { proofWaitMilliseconds: 1_000 },
          },
        },
      );
      const [first = assert.fail()] = freshDocuments(1);
      await anchored(server, "/api/v1/proof", first);
      const token = await server.login();
      await server.call(ROUTES.store, { token }, { code: "a", topic: "b", payload: { c: 1 } });
      administrator = await administratorOf(database, access);
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await signer.close();
      await removeDirectory(directory);
      await database.remove();
    });

    const calls = async (): Promise<string[]> =>
      (await allTransactions(server.chainUrl)).map(({ to, input }) => `${to} ${input}`);
    const alerts = async (): Promise<string[]> => {
      const { body } = await server.get("/api/v1/alerts");
      return body.alerts
        .filter(({ alert, state }: Record<string, string>) => alert === "journal_divergence" && state === "raised")
        .map(({ subject }: Record<string, string>) => subject);
    };

    const another = access.engine === "sqlite" ? "x'11'" : "'\\x11'::bytea";
    for (const [number, what, columns] of [
      [14, "of other data", { data: another }],
      [15, "to another contract", { to_address: "'0x1111111111111111111111111111111111111111'" }],
    ] as const)
      // Security, database: cannot have a changed call signed
      it(`never send an anchor ${what}: it waits, with an alert, until it is right (attack ${number})`, async () => {
        const [document = assert.fail()] = freshDocuments(1);
        const before = await calls();
        await administrator.changeInserted("changed", "transactions", "new.purpose = 'anchor'", columns);
        const { status, text } = await server.post("/api/v1/proof", document);
        assert.equal(status, 202, text);
        assert.deepEqual(await calls(), before, "nothing was signed");
        await eventually(async () => assert.include(await alerts(), "transaction"));
        await administrator.dropTrigger("changed", "transactions");
        // It is sent as it was accepted.
        await eventually(async () => {
          const { body } = await server.get(`/api/v1/proof/${encodeURIComponent(document.document_id)}`);
          assert.equal(body.status, "confirmed");
        });
      });

    for (const [number, what, purpose] of [
      [16, "a row of before", "record"],
      [17, "the close of a session", "session_close"],
    ] as const)
      it(`never sign ${what} in the place of a record (attack ${number})`, async () => {
        const token = await server.login();
        if (purpose === "session_close") {
          const other = await server.login();
          assert.equal((await server.call(ROUTES.close, { token: other })).status, 200);
        }
        const data = `coalesce(${EARLIER(purpose)}, ${another})`;
        await administrator.changeInserted("changed", "transactions", "new.purpose = 'record'", { data });
        const before = await calls();
        const stored = await server.call(ROUTES.store, { token }, { code: "a", topic: "b", payload: { c: 2 } });
        assert.notEqual(stored.status, 200, stored.text);
        assert.deepEqual(await calls(), before, "nothing was signed");
        await administrator.dropTrigger("changed", "transactions");
      });

    // Security, database: cannot have a later time confirmed by a call that is sent once more
    it("confirm no later time when the call of a confirmed anchor is sent once more", async () => {
      const [document = assert.fail()] = freshDocuments(1);
      const { body } = await anchored(server, "/api/v1/proof", document);
      const sent = (await calls()).at(-1) ?? assert.fail();
      const newest = "(select max(id) from transactions where purpose = 'anchor')";
      const data = sent.slice(sent.indexOf(" 0x") + 3);
      const literal = access.engine === "sqlite" ? `x'${data}'` : `'\\x${data}'::bytea`;
      const unsigned = "sender = null, nonce = null, raw = null, hash = null, outcome_at = null";
      const unmined = "block_number = null, block_hash = null, block_time = null, validator = null";
      await administrator.run(
        `update transactions set state = 'queued', data = ${literal}, ${unsigned}, ${unmined} where id = ${newest}`,
        `delete from confirmations where anchor_id = (select max(id) from anchors where transaction_id = ${newest})`,
        `update anchors set confirmation = null where transaction_id = ${newest}`,
      );
      // The sender looks for calls when a proof arrives.
      const [other = assert.fail()] = freshDocuments(1);
      await anchored(server, "/api/v1/proof", other);
      await eventually(async () => {
        const all = await calls();
        assert.lengthOf(
          all.filter((each) => each === sent),
          2,
          "it was sent once more",
        );
        const { body: found, text } = await server.get(`/api/v1/proof/${body.id}`);
        assert.equal(found.status, "confirmed", text);
        assert.deepEqual(found.proof, body.proof);
      });
    });

    // Security, database: cannot have another content confirmed than the one that was mined
    it("confirm what was mined, whatever a trigger makes of the confirmation's copy (attack 18)", async () => {
      await administrator.changeInserted("changed", "confirmations", "new.size >= 0", {
        block_number: "1",
        block_time: "1",
        validator: "'nobody'",
      });
      const [document = assert.fail()] = freshDocuments(1);
      const { body } = await anchored(server, "/api/v1/proof", document);
      await administrator.dropTrigger("changed", "confirmations");
      const found = await server.get(`/api/v1/proof/${body.id}`);
      assert.deepEqual(found.body.proof, body.proof);
      assert.isAbove(body.proof.block_number, 1);
      assert.notEqual(body.proof.validator, "nobody");
      const verified = await server.post("/api/v1/verify", { document_hash: document.hash });
      assert.isTrue(verified.body.valid, verified.text);
      await eventually(async () => assert.include(await alerts(), "entries"));
    });
  });

for (const access of EVERY_ACCESS)
  describe(`calls that are signed in this process, and that ${access.who} changes, on ${access.engine}`, () => {
    // Security, database: cannot change a call that a key of this process signs
    it("are sent as they were accepted", async () => {
      const directory = await temporaryDirectory();
      const database = await emptyDatabase(access.engine);
      const server = await startServer({ DATABASE_URL: database.url }, { directory });
      const administrator = await administratorOf(database, access);
      const [first = assert.fail(), document = assert.fail()] = freshDocuments(2);
      await anchored(server, "/api/v1/proof", first);
      const token = await server.login();
      const store = { code: "a", topic: "b", payload: { c: 1 } };
      const to = "'0x1111111111111111111111111111111111111111'";
      const data = access.engine === "sqlite" ? "x'11'" : "'\\x11'::bytea";
      await administrator.changeInserted("changed", "transactions", "new.id > 0", { data, to_address: to });
      await anchored(server, "/api/v1/proof", document);
      const stored = await server.call(ROUTES.store, { token }, store);
      assert.equal(stored.status, 200, stored.text);
      await administrator.dropTrigger("changed", "transactions");
      const verified = await server.post("/api/v1/verify", { document_hash: document.hash });
      assert.isTrue(verified.body.valid, verified.text);
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });
  });
