import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { runJournalScript } from "../../support/journal-script.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startRawNode } from "../../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { rpcCall } from "../../support/rpc.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const PERIOD = 200;
const OFTEN = { reconcileIntervalMilliseconds: PERIOD, fullReconcileIntervalMilliseconds: PERIOD };

/** Keys of proofs of the second batch. */
const OF_THE_SECOND = "sequence >= (select first_sequence from anchors where id = 2)";

for (const access of EVERY_ACCESS)
  describe(`what ${access.who} changes, on ${access.engine}`, function () {
    let chain: RemoteChain;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    let name: string;
    /** SQLite has new keys in a table of their own. */
    const index = access.engine === "sqlite" ? "proof_index_recent" : "proof_index";

    const variables = () => ({ ...chain.variables, DATABASE_URL: database.url, BATCH_MAX_AGE: "1", PROOF_WAIT: "1" });
    const start = async (): Promise<void> => {
      server = await startServer(variables(), { directory: chain.directory, settings: { journal: OFTEN } });
    };
    const resolve = (...args: string[]) =>
      runJournalScript({ ...variables(), DATA_DIR: chain.directory }, "resolve", ...args);
    const causes = async (): Promise<string[]> =>
      (await server.get("/api/v1/alerts")).body.alerts
        .filter(({ alert, state }: ParsedJson) => alert === "journal_divergence" && state === "raised")
        .map(({ subject }: ParsedJson) => subject);
    const attest = () => server.post("/api/v1/recovery/attest", { document_id: name, audience: "court" });
    /** One alert within a pass, nothing is signed, and it ends only when the truth is back. */
    const assertFound = async (expected: readonly string[], putBack: () => Promise<unknown>): Promise<void> => {
      await eventually(async () => assert.sameMembers(await causes(), [...expected]));
      const { status, body } = await attest();
      // Its own record is contradicted, and nothing else is signed.
      assert.oneOf(body.type, ["urn:sealbook:problem:journal_damaged", "urn:sealbook:problem:conflict"]);
      assert.oneOf(status, [409, 500]);
      await putBack();
      await eventually(async () => assert.isEmpty(await causes()));
      await eventually(async () => assert.equal((await attest()).status, 200));
    };

    before(async () => {
      chain = await startRemoteChain(startRawNode);
      database = await emptyDatabase(access.engine);
      await start();
      administrator = await administratorOf(database, access);
      const documents = freshDocuments(3);
      name = documents[0]?.document_id ?? assert.fail();
      await anchored(server, "/api/v1/proof/batch", { documents });
      await anchored(server, "/api/v1/proof/batch", { documents: freshDocuments(3) });
      await eventually(async () => assert.equal((await attest()).status, 200));
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await chain.close();
      await database.remove();
    });

    for (const [number, what, where] of [
      [9, "keys of one proof", `sequence = (select max(sequence) from ${index})`],
      [10, "keys of a whole batch", OF_THE_SECOND],
    ] as const)
      // Security, database: cannot hide removed keys of the index for more than a complete pass, nor acknowledge them
      it(`is found when it removes ${what}, whatever was acknowledged before (attacks ${number} and 11)`, async () => {
        await administrator.swallow("swallowed", index);
        await administrator.run(`delete from ${index} where ${where}`);
        await eventually(async () => assert.deepEqual(await causes(), ["index"]));
        const refused = await resolve("index", "--reason", "it is all right");
        assert.equal(refused.code, 1, refused.out);
        assert.include(refused.err, "a repair ends index, and nothing else");
        // What is not found can be recorded.
        const [unknown = assert.fail()] = freshDocuments(1);
        for (const answer of [
          await server.post("/api/v1/verify", { document_hash: unknown.hash }),
          await server.get(`/api/v1/proof/${encodeURIComponent(unknown.document_id)}`),
          await server.post("/api/v1/recovery/verify", { documents: [unknown] }),
        ])
          assert.equal(answer.body.type, "urn:sealbook:problem:journal_damaged", answer.text);
        // The leader writes them anew.
        await assertFound(["index"], () => administrator.dropTrigger("swallowed", index));
        assert.isFalse((await server.post("/api/v1/verify", { document_hash: unknown.hash })).body.valid);
      });

    // Security, database: cannot silence the comparison: its times and findings are in the relayer's own folder
    it("is found when triggers swallow all that the server writes about it (attacks 12 and 13)", async () => {
      await administrator.swallow("without_keys", index);
      await administrator.swallow("swallowed", "alerts");
      await administrator.run(`delete from ${index} where ${OF_THE_SECOND}`);
      await eventually(async () => {
        const { status, journal } = (await server.get("/api/v1/status")).body;
        assert.deepEqual([status, journal.divergences], ["degraded", 1]);
      });
      assert.equal((await attest()).body.type, "urn:sealbook:problem:journal_damaged");
      assert.match((await resolve()).out, /^index: entry \d+: it cannot be found by its/);
      await server.stop("keep");
      await start();
      assert.equal((await attest()).body.type, "urn:sealbook:problem:journal_damaged");
      await administrator.dropTrigger("swallowed", "alerts");
      await administrator.dropTrigger("without_keys", index);
      await eventually(async () => assert.equal((await attest()).status, 200));
    });

    for (const what of ["an open anchor", "an anchor with its transaction"])
      // Security, database: cannot keep an accepted proof from the chain by deleting its anchor
      it(`is anchored all the same when it deletes ${what} of a stopped server (attack 19)`, async () => {
        const [document = assert.fail()] = freshDocuments(1);
        await rpcCall(chain.url, "evm_setAutomine", false);
        const accepted = await server.post("/api/v1/proof", document);
        assert.equal(accepted.status, 202, accepted.text);
        const isClosed = what !== "an open anchor";
        if (isClosed)
          await eventually(async () =>
            assert.isEmpty(await database.query("select id from anchors where transaction_id is null")),
          );
        await server.stop("keep");
        const newest = "(select max(id) from anchors)";
        await administrator.run(
          `delete from transactions where id = (select transaction_id from anchors where id = ${newest})`,
          `delete from anchors where id = ${newest}`,
        );
        await rpcCall(chain.url, "evm_setAutomine", true);
        await start();
        await eventually(async () => {
          const { body } = await server.get(`/api/v1/proof/${encodeURIComponent(document.document_id)}`);
          assert.equal(body.status, "confirmed");
        });
        assert.isTrue(server.log.some((line) => line.includes("it is anchored again")));
        await eventually(async () => assert.isEmpty(await causes()));
      });

    for (const [what, change] of [
      ["moves a leaf to another batch", "first_sequence = first_sequence + 1"],
      ["puts two batches over one leaf", "size = size + 1"],
    ] as const)
      it(`is found when it ${what} (attack 20)`, async () => {
        const where = "where id = 1";
        await administrator.run(
          "create table kept as select first_sequence, size from anchors where id = 1",
          `update anchors set ${change} ${where}`,
        );
        await assertFound(["anchor", "leaves"], () =>
          administrator.run(
            `update anchors set first_sequence = (select first_sequence from kept) ${where}`,
            `update anchors set size = (select size from kept) ${where}`,
            "drop table kept",
          ),
        );
      });

    for (const [number, what, ...statements] of [
      [1, "calls a confirmed anchor sent", "update anchors set confirmation = null where id = 1"],
      [
        4,
        "deletes its confirmation",
        "delete from confirmations where anchor_id = 1",
        "update anchors set confirmation = null where id = 1",
      ],
    ] as const)
      it(`is corrected or found when it ${what} (attack ${number})`, async () => {
        await administrator.run("create table kept as select * from confirmations where anchor_id = 1", ...statements);
        await eventually(async () =>
          assert.isNotEmpty(await database.query("select id from anchors where id = 1 and confirmation is not null")),
        );
        if (number === 4)
          await assertFound(["entries"], () => administrator.run("insert into confirmations select * from kept"));
        await administrator.run("drop table kept");
        assert.isEmpty(await causes());
      });
  });
