import { randomBytes, randomUUID } from "node:crypto";
import { assert } from "chai";
import { issuerKeyStore } from "../../server/issuer/issuer-key-store.ts";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { appendEntry, appendResolution, inTransaction } from "../../server/journal/entries/entry-log.ts";
import { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { accountStore } from "../../server/sessions/account-store.ts";
import { anchored } from "../support/anchored.ts";
import { type Attacker, attackerOf } from "../support/attacker.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { runJournalScript } from "../support/journal-script.ts";
import { JournalWriter } from "../support/journal-writer.ts";
import { keepRows } from "../support/kept-rows.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

const NEVER = 2 ** 31 - 1;
const PERIODS = {
  reconcileIntervalMilliseconds: 200,
  fullReconcileIntervalMilliseconds: 200,
  checkpointIntervalMilliseconds: NEVER,
};

const ACCOUNT = {
  address: `0x${"a1".repeat(20)}`,
  keystore: "{}",
  scope: "full",
  createdAt: 1,
} as const;
/** Not that of the relayer. */
const FOREIGN_KEY = JournalKey.generate();
const bytes = (length: number): Uint8Array => randomBytes(length);

/** Appends entries as relayers do, with their digests and their keys in the index. */
const FORGERIES: Record<string, (database: Database, writer: JournalWriter) => Promise<unknown>> = {
  "a proof": (_, writer) => writer.open(2),
  "a confirmation": (_, writer) => writer.confirmed(2),
  "an account": (database) => accountStore(database, FOREIGN_KEY).insert(ACCOUNT),
  "an issuer's key": (database) =>
    issuerKeyStore(database, FOREIGN_KEY).add({
      publicKey: bytes(65),
      keystore: undefined,
      createdAt: 1,
    }),
  "a comparison": (database) =>
    inTransaction(database, async (transaction) => {
      const id = randomUUID();
      await appendEntry(transaction, FOREIGN_KEY, (sequence) => ({
        kind: "verification" as const,
        sequence,
        id,
        as_of: null,
        newest_entry: 1,
        finished_at: 1,
        match: 1_000_000,
        mismatch: 0,
        unrecorded: 0,
        pending: 0,
        rows_root: bytes(32),
        documents: bytes(32),
        signed: null,
      }));
    }),
  "an acknowledgement of a divergence": (database) =>
    inTransaction(database, (transaction) =>
      appendResolution(transaction, FOREIGN_KEY, { divergence: "entries: nothing", reason: "none", resolved_at: 1 }),
    ),
};

for (const engine of ENGINES)
  describe(`an entry with a correct digest that no relayer has written, on ${engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let attacker: Attacker;
    let server: TestServer;
    const [document = assert.fail()] = freshDocuments(1);

    const attest = () =>
      server.post("/api/v1/recovery/attest", { document_id: document.document_id, audience: "court" });
    const alerts = async (): Promise<ParsedJson[]> =>
      (await server.get("/api/v1/alerts")).body.alerts.filter(({ state }: ParsedJson) => state === "raised");
    const entries = async (): Promise<string> =>
      (await runJournalScript({ DATABASE_URL: database.url, DATA_DIR: directory }, "resolve")).out
        .split("\n")
        .filter((line) => line.startsWith("entries: "))
        .join("\n");

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(engine);
      server = await startServer({ DATABASE_URL: database.url }, { directory, settings: { journal: PERIODS } });
      await anchored(server, "/api/v1/proof", document);
      attacker = await attackerOf(database, engine);
    });
    after(async () => {
      await attacker.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    for (const [kind, forge] of Object.entries(FORGERIES)) {
      // Security, database: cannot append an entry without the journal's key, whatever its digest: a pass finds it
      // Security, database: cannot get anything signed until such an entry is gone
      it(`is found within a pass when it is ${kind}, and stops signatures until it is gone`, async () => {
        await fullPasses(directory, 1);
        await eventually(async () => assert.equal((await attest()).status, 200));
        const putBack = await keepRows(attacker);
        const opened = await openDatabase(database.connect());
        const writer = new JournalWriter(opened, undefined, FOREIGN_KEY);
        await forge(opened, writer).finally(() => opened.destroy());

        await eventually(async () => {
          const { status, body } = await attest();
          assert.equal(status, 500, JSON.stringify(body));
          assert.match(body.detail, /not written by a relayer.*Nothing is signed/);
        });
        assert.match(
          await entries(),
          /^entries: the entries \d+ to \d+ of the journal were not written by a relayer, or were changed$/,
        );
        assert.isAbove((await server.get("/api/v1/status")).body.journal.divergences, 0);
        await eventually(async () =>
          assert.lengthOf(
            (await alerts()).filter(({ alert, subject }) => alert === "journal_divergence" && subject === "entries"),
            1,
          ),
        );
        await fullPasses(directory, 2);
        assert.equal((await attest()).status, 500);

        await putBack();
        await eventually(async () => assert.equal((await attest()).status, 200));
        await eventually(async () => assert.isEmpty(await alerts()));
      });
    }
  });
