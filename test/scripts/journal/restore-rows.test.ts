import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import * as z from "zod";
import { journalLines } from "../../support/journal-lines.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase, ENGINES } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { intruderIn } from "../../support/intruder.ts";
import { putKey } from "../../support/journal-key.ts";
import { type Outcome, runJournalScript } from "../../support/journal-script.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const REASON = "The disk with the key was lost";

for (const engine of ENGINES)
  describe(`a journal that is restored from its rows, on ${engine}`, function () {
    let directory: string;
    let keyFile: string;
    let database: EngineDatabase;
    let server: TestServer | undefined;
    const [document = assert.fail()] = freshDocuments(1);

    const variables = () => ({ DATABASE_URL: database.url, JOURNAL_KEY_FILE: keyFile });
    const start = (): Promise<TestServer> =>
      startServer(variables(), { directory, settings: { journal: { checkpointIntervalMilliseconds: 200 } } });
    const restore = (...args: string[]): Promise<Outcome> =>
      runJournalScript({ ...variables(), DATA_DIR: directory }, "restore", ...args);
    const underNewKey = (...args: string[]): Promise<Outcome> => restore("--new-key", "--reason", REASON, ...args);
    const check = (): Promise<Outcome> => runJournalScript({ ...variables(), DATA_DIR: directory }, "check");

    before(async () => {
      directory = await temporaryDirectory();
      keyFile = join(directory, "shared.key");
      database = await emptyDatabase(engine);
      server = await start();
      await anchored(server, "/api/v1/proof", document);
      const checkpoints = "select 1 from anchors where checkpoint is not null and confirmation is not null";
      await eventually(async () => assert.isNotEmpty(await database.query(checkpoints)));
      await server.stop("keep");
      server = undefined;
    });
    after(async () => {
      await server?.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    it("has its tables as before, under the same key", async () => {
      const intruder = intruderIn(database);
      await intruder.run("delete from proof_index");
      if (engine === "sqlite") await intruder.run("delete from proof_index_recent");
      await intruder.run("update accounts set keystore = keystore || 'x'");
      await intruder.run("delete from issuer_keys");
      await intruder.run("update confirmations set block_number = block_number + 1");
      await intruder.run("insert into resolutions values (1)");
      await intruder.run("update anchors set first_sequence = first_sequence + 1, size = size + 1");
      await intruder.run("insert into anchors (id, first_sequence, size, opened_at) values (1000, 1, 0, 1)");
      const before = await check();
      assert.equal(before.code, 1, before.err);
      assert.include(before.out, "it cannot be found by its hash");
      assert.include(before.out, "the tables do not have what the entry says");
      const { code, out, err } = await restore();
      assert.equal(code, 0, err);
      assert.match(out, /^Restored \d+ entries, of which 1 proofs\. 0 of them were confirmed on the chain without/);
      const after = await check();
      assert.equal(after.code, 0, after.out);
      assert.isEmpty(await database.query("select * from resolutions"));
      assert.isEmpty(await database.query("select * from anchors where id = 1000"));
      server = await start();
      const running = server;
      assert.equal((await running.get(`/api/v1/proof/${document.document_id}`)).body.status, "confirmed");
      // Roles of accounts come back with the chain's log.
      await eventually(() => running.login());
      await server.stop("keep");
      server = undefined;
    });

    it("is left as it was when a row of it was changed", async () => {
      const intruder = intruderIn(database);
      const [row = assert.fail()] = await database.query("select body from entries where first_sequence = 2");
      const body = z.instanceof(Uint8Array).parse(row["body"]);
      const set = (to: Uint8Array) =>
        intruder.run(`update entries set body = ${database.literal(to)} where first_sequence = 2`);
      await set(body.slice(1));
      for (const args of [[], ["--new-key", "--reason", REASON, "--accept"]]) {
        if (args.length > 0) await rename(keyFile, `${keyFile}.kept`);
        const { code, err } = await restore(...args);
        assert.equal(code, 1, err);
        assert.match(err, /Nothing was restored/);
        if (args.length > 0) await rename(`${keyFile}.kept`, keyFile);
      }
      await set(body);
      assert.equal((await check()).code, 0);
    });

    it("gets no new key without a reason, or while there is one, which stays as it is", async () => {
      assert.equal((await restore("--new-key")).code, 2);
      const before = await readFile(keyFile, "utf8");
      const { code, err } = await underNewKey("--accept");
      assert.equal(code, 1);
      assert.include(err, `there is a key in ${keyFile}: move it away if it is not the journal's`);
      assert.equal(await readFile(keyFile, "utf8"), before);
    });

    it("is named by a start without the key, or with another one", async () => {
      const failure = () =>
        start().then(
          () => assert.fail("it started"),
          (error: Error) => error.message,
        );
      await rm(keyFile);
      assert.match(await failure(), /is missing.*npx sealbook journal restore --new-key/);
      const { code, err } = await restore();
      assert.equal(code, 1);
      assert.match(err, /is missing: restore it from a backup, or use --new-key/);
      await putKey(directory);
      keyFile = join(directory, "journal.key");
      assert.match(await failure(), /is not the key of this journal/);
      await rm(keyFile);
    });

    it("gets a new key when what the chain does not prove is accepted", async () => {
      const asked = await underNewKey();
      assert.equal(asked.code, 1);
      assert.match(asked.out, /^The chain proves the entries up to \d+ of \d+\.$/m);
      assert.notMatch(asked.out, /up to 0 of/);
      assert.match(asked.err, /entries are not proved: accept them with --accept/);
      const done = await underNewKey("--accept");
      assert.equal(done.code, 0, done.err);
      assert.match(await readFile(keyFile, "utf8"), /^[0-9a-f]{64}\n$/);
      server = await start();
      const running = server;
      await eventually(async () => {
        const attested = await running.post("/api/v1/recovery/attest", {
          document_id: document.document_id,
          audience: "court",
        });
        assert.equal(attested.status, 200, attested.text);
      });
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 0);
      assert.isNotEmpty((await journalLines(database)).filter((line) => line.includes(REASON)));
    });
  });
