import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { appendResolution, inTransaction } from "../../server/journal/entries/entry-log.ts";
import { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { journalLines } from "../support/journal-lines.ts";
import { anchored } from "../support/anchored.ts";
import { attackerOf } from "../support/attacker.ts";
import { copyOf, emptyDatabase, ENGINES } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { putKey } from "../support/journal-key.ts";
import { type Outcome, runJournalScript } from "../support/journal-script.ts";
import { keepRows } from "../support/kept-rows.ts";
import { startServer, type TestServer } from "../support/server.ts";

const PERIOD = 200;
const PERIODS = { reconcileIntervalMilliseconds: PERIOD, fullReconcileIntervalMilliseconds: PERIOD };
const REASON = "The disk was lost; this is the backup of the day before";

for (const engine of ENGINES)
  describe(`an older copy of the journal in its place, on ${engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let older: EngineDatabase;
    let server: TestServer;
    const [first = assert.fail(), second = assert.fail()] = freshDocuments(2);

    const start = (on: EngineDatabase, variables = {}): Promise<TestServer> =>
      startServer({ DATABASE_URL: on.url, ...variables }, { directory, settings: { journal: PERIODS } });
    const journal = (...args: string[]): Promise<Outcome> =>
      runJournalScript({ DATABASE_URL: older.url, DATA_DIR: directory }, ...args);
    const headSubject = async (): Promise<string> => {
      const { out } = await journal("resolve");
      return /^head of 0x[0-9a-f]{40}/im.exec(out)?.[0] ?? assert.fail(`no such divergence in: ${out}`);
    };
    const attest = () => server.post("/api/v1/recovery/attest", { document_id: first.document_id, audience: "court" });
    const refused = async (): Promise<void> => {
      const { status, body } = await attest();
      assert.equal(status, 500, JSON.stringify(body));
      assert.equal(body.type, "urn:sealbook:problem:journal_damaged");
    };

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(engine);
      server = await start(database);
      await anchored(server, "/api/v1/proof", first);
      await server.stop("keep");
      older = await copyOf(database, engine);
      server = await start(database);
      await anchored(server, "/api/v1/proof", second);
      await server.stop("keep");
    });
    after(async () => {
      await server.stop("keep");
      await removeDirectory(directory);
      // Its tables belong to the role of the first one.
      await older.remove();
      await database.remove();
    });

    it("is found at the start: nothing is signed", async () => {
      server = await start(older);
      const { body } = await attest();
      assert.match(body.detail, /does not continue entry \d+, which this relayer has seen: it is an older copy/);
      await refused();
      assert.isAbove((await server.get("/api/v1/status")).body.journal.divergences, 0);
      await headSubject();
    });

    // Security, database: cannot replace the journal by an older, another or a rewritten one: nothing is signed then
    // Security, database: cannot resume signing by any write: an operator must accept the journal on the machine
    it("never becomes true by waiting, by new entries or by a restart", async () => {
      // More entries than the relayer has seen: another history.
      await server.post("/api/v1/proof/batch", { documents: freshDocuments(20) });
      await fullPasses(directory, 3);
      await refused();
      await server.stop("keep");
      server = await start(older);
      await refused();
      await headSubject();
    });

    it("is not accepted by what an administrator of the database writes", async () => {
      const subject = await headSubject();
      const { divergences } = await new FindingsFile(directory).read();
      const { message } = divergences.find((each) => each.subject === subject) ?? assert.fail();
      const attacker = await attackerOf(older, engine);
      const putBack = await keepRows(attacker);
      const administrator = await openDatabase(older.connect());
      try {
        await inTransaction(administrator, (transaction) =>
          appendResolution(transaction, JournalKey.generate(), {
            divergence: `${subject}: ${message}`,
            reason: "none",
            resolved_at: 1,
          }),
        );
        for (let time = 0; time < 3; time += 1) {
          await fullPasses(directory, 1);
          await refused();
        }
      } finally {
        await administrator.destroy();
      }
      // The forged entry is another divergence.
      await putBack();
      await attacker.close();
      await eventually(async () => assert.isNotEmpty(await headSubject()));
    });

    it("is not accepted by the command without this relayer's folder", async () => {
      const other = await temporaryDirectory();
      await putKey(other);
      const variables = { DATABASE_URL: older.url, DATA_DIR: other };
      const done = await runJournalScript(variables, "resolve", await headSubject(), "--reason", REASON);
      assert.equal(done.code, 1, done.out);
      assert.match(done.err, /there is no divergence head of/);
      await fullPasses(directory, 2);
      await refused();
      await removeDirectory(other);
    });

    it("is accepted by the command on the relayer's machine, with the reason in the journal", async () => {
      const done = await journal("resolve", await headSubject(), "--reason", REASON);
      assert.equal(done.code, 0, done.err);
      assert.match(done.out, /had seen entry \d+; now it continues from entry \d+/);
      // The chain has what the copy lacks.
      await journal("resolve", "anchor", "--all", "--reason", REASON);
      await eventually(async () => {
        const { status, text } = await attest();
        assert.equal(status, 200, text);
      });
      assert.isNotEmpty(
        (await journalLines(older)).filter((line) => line.includes("head of 0x") && line.includes(REASON)),
      );
      await server.stop("keep");
      server = await start(older);
      assert.equal((await attest()).status, 200);
    });

    it("is an empty one as well, unless it is meant to be new", async () => {
      await server.stop("keep");
      const empty = await emptyDatabase(engine);
      const variables = { NEW_JOURNAL: "yes" };
      server = await start(empty, variables);
      assert.equal((await server.get("/api/v1/status")).body.journal.entries ?? 0, 0);
      await anchored(server, "/api/v1/proof", first);
      assert.notInclude((await server.get("/api/v1/status")).text, "does not continue");
      await server.stop("keep");
      await empty.remove();
      server = await start(older);
      await refused();
    });

    it("ends the start when what the relayer has seen cannot be read", async () => {
      await server.stop("keep");
      const file = join(directory, "journal.head");
      const content = await readFile(file, "utf8");
      assert.match(content, /^\{"sequence":\d+,"digest":"[0-9a-f]{64}"(,"settled":\{.*\})?\}\n$/);
      await writeFile(file, "{}");
      const failed = await start(older).then(
        () => assert.fail("it started"),
        (error: Error) => error.message,
      );
      assert.include(failed, file);
      await writeFile(file, content);
      server = await start(older);
    });
  });
