import { join } from "node:path";
import { mkdir, readFile, rm } from "node:fs/promises";
import { assert } from "chai";
import { appendResolution } from "../../../../server/journal/entries/entry-log.ts";
import { EntryVerifier } from "../../../../server/journal/entries/verified-entries.ts";
import { Findings } from "../../../../server/journal/findings/findings.ts";
import { FindingsFile } from "../../../../server/journal/findings/findings-file.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";
import { KEY } from "../../../support/journal-key.ts";

const SUBJECT = `anchor ${"00".repeat(32)}`;

describe("the divergences that a relayer has found", function () {
  let opened: TestDatabase;
  let directory: string;
  let file: FindingsFile;
  let failures: unknown[];
  /** Texts of active alerts. */
  const alerts = new Map<string, string>();
  const open = new Set<string>();
  const announced: string[] = [];

  const start = async (): Promise<Findings> => {
    const findings = new Findings({
      file,
      database: opened.database,
      telemetry: {
        journalDiverged: (subject) => void open.add(subject),
        divergenceResolved: (subject) => void open.delete(subject),
        divergenceAnnounced: (_level, message) => void announced.push(message),
      },
      alertOf: (cause) => alerts.get(cause),
      onFailure: (error) => void failures.push(error),
    });
    await findings.load();
    return findings;
  };
  const stored = async (): Promise<string[]> => (await file.read()).divergences.map(({ subject }) => subject);

  before(async () => (opened = await openTestDatabase()));
  after(() => opened.close());
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = new FindingsFile(directory);
    failures = [];
    alerts.clear();
    announced.length = 0;
    open.clear();
  });
  afterEach(() => removeDirectory(directory));

  // Security, database: cannot acknowledge a divergence: only an entry of a relayer does
  it("end when an entry of the journal acknowledges them, and only then", async () => {
    const { database } = opened;
    await new JournalWriter(database).confirmed(3);
    const entries = new EntryVerifier({ database, key: KEY }).begin();
    const findings = await start();
    findings.journalDiverged(SUBJECT, "is unknown");
    await database
      .insertInto("resolutions")
      .values([{ sequence: 1 }, { sequence: 99 }])
      .execute();
    await (await start()).readAcknowledged(entries);
    assert.deepEqual([...open], [SUBJECT], "an entry of another kind, or none, acknowledges nothing");
    await database.deleteFrom("resolutions").execute();
    const acknowledge = (divergence: string): Promise<unknown> =>
      database
        .transaction()
        .execute((transaction) => appendResolution(transaction, KEY, { divergence, reason: "known", resolved_at: 2 }));
    await acknowledge(`${SUBJECT}: is unknown`);
    await findings.readAcknowledged(entries);
    assert.isEmpty([...open]);
    findings.journalDiverged(SUBJECT, "is unknown");
    assert.isEmpty([...open], "what is acknowledged is not raised again");
    findings.journalDiverged(SUBJECT, "is something else");
    assert.deepEqual([...open], [SUBJECT]);
    await acknowledge("entries: entry 5 was changed");
    await findings.readAcknowledged(entries);
    findings.journalDiverged("entries", "entry 5 was changed");
    assert.deepEqual([...open], [SUBJECT, "entries"], "a repair ends it, and nobody");
    await findings.stop();
  });

  it("are emitted and announced once, and known to the next process", async () => {
    const findings = await start();
    for (let time = 0; time < 2; time += 1) findings.journalDiverged("entries", "entry 5 was changed");
    assert.deepEqual([...open], ["entries"], "at once");
    await findings.stop();
    assert.deepEqual([await stored(), announced], [["entries"], ["entry 5 was changed"]]);
    open.clear();
    const next = await start();
    assert.deepEqual([next.open, [...open]], [[{ subject: "entries", message: "entry 5 was changed" }], ["entries"]]);
    assert.throws(() => next.assertIntact(), /^entry 5 was changed\. Nothing is signed/);
    assert.lengthOf(announced, 1);
  });

  it("end with a complete check that does not find them, if they are such that it can", async () => {
    const findings = await start();
    const subjects = ["entries", "proof 12", "replication a", "root 12", "transaction 3"];
    for (const subject of subjects) findings.journalDiverged(subject, "it differs");
    findings.beginCheck();
    findings.journalDiverged("entries", "it differs");
    findings.endCheck(7);
    await findings.stop();
    assert.deepEqual(await stored(), ["entries", "replication a", "transaction 3"]);
    assert.equal((await file.read()).checkedAt, 7);
    findings.beginCheck();
    findings.endCheck(8);
    findings.divergenceResolved("replication a");
    findings.divergenceResolved("transaction 3");
    await findings.stop();
    assert.deepEqual([await stored(), [...open]], [[], []]);
  });

  it("stay when they were found during the check, or it could not look at their subject", async () => {
    const findings = await start();
    findings.journalDiverged("replica file:///disk", "an object is missing");
    findings.beginCheck();
    findings.keep("replica file:///disk");
    findings.journalDiverged("root 12", "it differs");
    findings.endCheck(1);
    assert.deepEqual([...open], ["replica file:///disk", "root 12"]);
    findings.beginCheck();
    findings.endCheck(2);
    assert.isEmpty([...open]);
    await findings.stop();
  });

  it("last when another relayer has found them, until everything was compared", async () => {
    await file.write({ checkedAt: 5, block: undefined, divergences: [] });
    alerts.set("leaves", "leaves differ").set("transaction", "a call differs");
    const findings = await start();
    assert.deepEqual([[...open], findings.checkedAt], [["leaves"], undefined]);
    assert.throws(() => findings.assertIntact(), /^leaves differ/);
    findings.beginCheck();
    findings.endCheck(6);
    assert.isEmpty([...open]);
    await findings.stop();
  });

  it("do not end because there were too many of them", async () => {
    const findings = await start();
    for (let n = 0; n < 1_001; n += 1) findings.journalDiverged(`proof ${n}`, `${n} differs`);
    findings.beginCheck();
    findings.journalDiverged("proof 1000", "1000 differs");
    findings.endCheck(6);
    assert.deepEqual([...open], ["proof 1000"]);
    await findings.stop();
  });

  it("are announced once for each cause, and bounded", async () => {
    const findings = await start();
    for (let n = 0; n < 1_539; n += 1) findings.journalDiverged(`proof ${n}`, `${n} differs`);
    assert.equal(findings.size, 1_000);
    for (const { subject } of findings.open) findings.divergenceResolved(subject);
    await findings.stop();
    assert.deepEqual(announced, ["0 differs", "proof: journal, replicas and chain agree again"]);
  });

  it("are kept while the file cannot be written, and written later", async () => {
    const findings = await start();
    await mkdir(join(directory, "journal.findings.tmp"));
    findings.journalDiverged("entries", "entry 5 was changed");
    await findings.stop();
    assert.deepEqual([failures.length, [...open], await stored()], [1, ["entries"], []]);
    await rm(join(directory, "journal.findings.tmp"), { recursive: true });
    findings.journalDiverged("index", "it differs");
    await findings.stop();
    assert.deepEqual(await stored(), ["entries", "index"]);
    assert.match(
      await readFile(join(directory, "journal.findings"), "utf8"),
      /^\{"checked_at":null,"block":null,"divergences":\[/,
    );
  });
});
