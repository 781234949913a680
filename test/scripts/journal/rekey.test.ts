import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
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
  describe(`the command that writes the journal under a new key, on ${engine}`, function () {
    let directory: string;
    let keyFile: string;
    let database: EngineDatabase;
    let server: TestServer | undefined;
    const [document = assert.fail()] = freshDocuments(1);

    const variables = () => ({ DATABASE_URL: database.url, JOURNAL_KEY_FILE: keyFile });
    const start = (): Promise<TestServer> =>
      startServer(variables(), { directory, settings: { journal: { checkpointIntervalMilliseconds: 200 } } });
    const rekey = (...args: string[]): Promise<Outcome> =>
      runJournalScript({ ...variables(), DATA_DIR: directory }, "rekey", "--reason", REASON, ...args);

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

    it("refuses while a key is there, which stays as it is", async () => {
      const before = await readFile(keyFile, "utf8");
      const { code, err } = await rekey("--accept");
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
      assert.match(await failure(), /is missing.*npx sealbook journal rekey/);
      await putKey(directory);
      keyFile = join(directory, "journal.key");
      assert.match(await failure(), /is not the key of this journal/);
      await rm(keyFile);
    });

    it("refuses a journal that was changed", async () => {
      const intruder = intruderIn(database);
      await intruder.run("update accounts set keystore = keystore || 'x'");
      const { code, err, out } = await rekey("--accept");
      assert.equal(code, 1);
      assert.include(err, "the journal is not whole");
      assert.include(out, "the tables do not have what the entry says");
      await intruder.run("update accounts set keystore = substr(keystore, 1, length(keystore) - 1)");
    });

    it("says what the chain proves, and writes the rest when it is accepted", async () => {
      const asked = await rekey();
      assert.equal(asked.code, 1);
      assert.match(asked.out, /^The chain proves the entries up to \d+ of \d+\.$/m);
      assert.match(asked.err, /entries are not proved: accept them with --accept/);
      const done = await rekey("--accept");
      assert.equal(done.code, 0, done.err);
      assert.match(await readFile(keyFile, "utf8"), /^[0-9a-f]{64}\n$/);
      server = await start();
      const attested = await server.post("/api/v1/recovery/attest", {
        document_id: document.document_id,
        audience: "court",
      });
      assert.equal(attested.status, 200, attested.text);
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 0);
      assert.isNotEmpty((await journalLines(database)).filter((line) => line.includes(REASON)));
    });
  });
