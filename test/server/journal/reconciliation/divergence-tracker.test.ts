import { assert } from "chai";
import { appendNotice } from "../../../../server/journal/entries/entry-log.ts";
import { EntryVerifier } from "../../../../server/journal/entries/verified-entries.ts";
import type { JournalEvents } from "../../../../server/journal/events.ts";
import { DivergenceTracker } from "../../../../server/journal/reconciliation/divergence-tracker.ts";
import { reconciliationStore } from "../../../../server/journal/reconciliation/store.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";

const SUBJECT = { kind: "anchor", hash: new Uint8Array(32) } as const;
const TEXT = `anchor ${"00".repeat(32)}`;

describe("divergences", function () {
  let opened: TestDatabase;
  const open = new Set<string>();
  const unused = (): void => undefined;
  const telemetry: JournalEvents = {
    journalFailing: unused,
    journalProbed: unused,
    journalDiverged: (subject) => void open.add(subject),
    divergenceResolved: (subject) => void open.delete(subject),
    journalCorrected: unused,
    replicaLagging: unused,
    replicaCaughtUp: unused,
    replicaUnavailable: unused,
    replicaAvailable: unused,
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
    const chain = { anchorOf: async () => undefined };
    const verifier = new EntryVerifier({ database, chain, telemetry: { journalDiverged: unused } });
    const start = (): DivergenceTracker =>
      new DivergenceTracker(reconciliationStore(database, "a"), verifier, telemetry, () => 1);
    const tracker = start();
    assert.isTrue(await tracker.diverged(SUBJECT, "is unknown"));
    const resolution = (sequence: number) => ({
      kind: "resolution" as const,
      sequence,
      divergence: `${TEXT}: is unknown`,
      reason: "a proof that no replica had",
      resolvedAt: 2,
    });
    const text = JSON.stringify({ ...resolution(99), kind: undefined, resolvedAt: undefined, resolved_at: 2 });
    const forged = { sequence: 99, text: text.replace("{", '{"kind":"resolution",'), digest: new Uint8Array(32) };
    await database.insertInto("notices").values(forged).execute();
    await start().refresh();
    assert.deepEqual([...open], [TEXT], "a row that is no entry acknowledges nothing");
    await database.schema.dropTable("notices").execute();
    await database.schema
      .createTable("notices")
      .addColumn("sequence", "integer")
      .addColumn("text", "text")
      .addColumn("digest", "blob")
      .execute();
    await database.transaction().execute((transaction) => appendNotice(transaction, resolution));
    await tracker.refresh();
    assert.isEmpty([...open]);
    assert.isFalse(await tracker.diverged(SUBJECT, "is unknown"));
    assert.isEmpty([...open], "what is acknowledged is not raised again");
    assert.isTrue(await tracker.diverged(SUBJECT, "is something else"));
    assert.deepEqual([...open], [TEXT]);
  });
});
