import { assert } from "chai";
import { appendResolution } from "../../../../server/journal/entries/entry-log.ts";
import { EntryVerifier } from "../../../../server/journal/entries/verified-entries.ts";
import type { JournalEvents } from "../../../../server/journal/events.ts";
import { DivergenceTracker } from "../../../../server/journal/reconciliation/divergence-tracker.ts";
import { reconciliationStore } from "../../../../server/journal/reconciliation/store.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";
import { KEY } from "../../../support/journal-key.ts";

const SUBJECT = { kind: "anchor", hash: new Uint8Array(32) } as const;
const TEXT = `anchor ${"00".repeat(32)}`;

describe("divergences", function () {
  let opened: TestDatabase;
  const open = new Set<string>();
  const announced: string[] = [];
  const unused = (): void => undefined;
  const telemetry: JournalEvents = {
    journalFailing: unused,
    journalProbed: unused,
    journalDiverged: (subject) => void open.add(subject),
    divergenceResolved: (subject) => void open.delete(subject),
    divergenceAnnounced: (_level, message) => void announced.push(message),
    journalCorrected: unused,
    replicaLagging: unused,
    replicaCaughtUp: unused,
    storageFailing: unused,
    storageRestored: unused,
  };
  before(async () => {
    opened = await openTestDatabase();
  });
  after(() => opened.close());

  it("end when an entry of the journal acknowledges them, and only then", async () => {
    const { database } = opened;
    await new JournalWriter(database).confirmed(3);
    const verifier = new EntryVerifier({ database, key: KEY });
    const start = (): DivergenceTracker =>
      new DivergenceTracker(reconciliationStore(database, KEY), telemetry, () => 1);
    const tracker = start();
    assert.isTrue(await tracker.diverged(SUBJECT, "is unknown"));
    const resolution = { divergence: `${TEXT}: is unknown`, reason: "a proof that no replica had", resolved_at: 2 };
    await database
      .insertInto("resolutions")
      .values([{ sequence: 1 }, { sequence: 99 }])
      .execute();
    await start().refresh(verifier.begin());
    assert.deepEqual([...open], [TEXT], "an entry of another kind, or none, acknowledges nothing");
    await database.deleteFrom("resolutions").execute();
    await database.transaction().execute((transaction) => appendResolution(transaction, KEY, resolution));
    await tracker.refresh(verifier.begin());
    assert.isEmpty([...open]);
    assert.isFalse(await tracker.diverged(SUBJECT, "is unknown"));
    assert.isEmpty([...open], "what is acknowledged is not raised again");
    assert.isTrue(await tracker.diverged(SUBJECT, "is something else"));
    assert.deepEqual([...open], [TEXT]);
  });

  describe("that a request finds", function () {
    const store = () => reconciliationStore(opened.database, KEY);
    const stored = async (): Promise<string[]> =>
      (await opened.database.selectFrom("divergences").select("subject").orderBy("subject").execute()).map(
        ({ subject }) => subject,
      );
    const entries = { entry: async () => assert.fail(), newest: async () => 0 };
    beforeEach(async () => {
      await opened.database.deleteFrom("divergences").execute();
      await opened.database.deleteFrom("resolutions").execute();
      announced.length = 0;
      open.clear();
    });

    it("are stored and announced once, and loaded by the next process", async () => {
      const tracker = new DivergenceTracker(store(), telemetry, () => 1);
      const other = new DivergenceTracker(store(), telemetry, () => 1);
      for (const each of [tracker, tracker, other]) each.journalDiverged("entries", "entry 5 was changed");
      assert.deepEqual([...open], ["entries"], "at once");
      await tracker.stop();
      await other.stop();
      assert.deepEqual([await stored(), announced], [["entries"], ["entry 5 was changed"]]);
      const next = new DivergenceTracker(store(), telemetry, () => 1);
      await next.refresh(entries);
      assert.deepEqual(next.subjects, ["entries"]);
    });

    it("end with a comparison without a finding, if it is one of its own", async () => {
      const tracker = new DivergenceTracker(store(), telemetry, () => 1);
      const subjects = ["entries", "proof 12", "replication a", "root 12"];
      for (const subject of subjects) tracker.journalDiverged(subject, "it differs");
      await tracker.stop();
      assert.deepEqual(await stored(), subjects);
      tracker.begin();
      await tracker.end();
      assert.deepEqual(await stored(), subjects.slice(1));
      for (const subject of subjects) tracker.divergenceResolved(subject);
      await tracker.stop();
      assert.isEmpty(await stored());
      assert.isEmpty([...open]);
    });

    it("stay when a comparison could not check their subject", async () => {
      const tracker = new DivergenceTracker(store(), telemetry, () => 1);
      const subject = { kind: "replica", name: "file:///disk" } as const;
      await tracker.diverged(subject, "an object is missing");
      tracker.begin();
      tracker.unchecked(subject);
      await tracker.end();
      assert.deepEqual(await stored(), ["replica file:///disk"]);
      tracker.begin();
      await tracker.end();
      assert.isEmpty(await stored());
    });

    it("are announced once for each cause", async () => {
      const tracker = new DivergenceTracker(store(), telemetry, () => 1);
      for (let n = 0; n < 1_539; n += 1) tracker.journalDiverged(`proof ${n}`, `${n} differs`);
      await tracker.stop();
      assert.lengthOf(await stored(), 1_539);
      for (const subject of tracker.subjects) tracker.divergenceResolved(subject);
      await tracker.stop();
      assert.deepEqual(announced, ["0 differs", "proof: journal, replicas and chain agree again"]);
    });

    it("are stored later when the database cannot be written", async () => {
      let isFull = true;
      const faulty = {
        ...store(),
        raise: async (divergence: Parameters<ReturnType<typeof store>["raise"]>[0]) => {
          if (isFull) throw new Error("the disk is full");
          return store().raise(divergence);
        },
      };
      const tracker = new DivergenceTracker(faulty, telemetry, () => 1);
      tracker.journalDiverged("entries", "entry 5 was changed");
      await tracker.stop();
      assert.deepEqual([[...open], await stored()], [["entries"], []]);
      isFull = false;
      await tracker.refresh(entries);
      assert.deepEqual([[...open], await stored()], [["entries"], ["entries"]]);
    });
  });
});
