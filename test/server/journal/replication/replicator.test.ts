import { randomBytes } from "node:crypto";
import { assert } from "chai";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import {
  DEFAULT_RULES,
  Replicator,
  type ReplicatorEvent,
  type ReplicatorRules,
} from "../../../../server/journal/replication/replicator.ts";
import { findNewestObject } from "../../../../server/journal/replication/replica-reader.ts";
import { JournalKey } from "../../../../server/journal/integrity/journal-key.ts";
import { eventually } from "../../../support/eventually.ts";
import { GrownJournal } from "../../../support/grown-journal.ts";
import {
  bucketReplica,
  folderReplica,
  NAMED,
  readAll,
  storeRows,
  type TestReplica,
} from "../../../support/test-replica.ts";

const RULES: ReplicatorRules = {
  ...DEFAULT_RULES,
  intervalMilliseconds: 20,
  lagLimitMilliseconds: 60_000,
  entries: 100,
  retry: { firstMilliseconds: 20, longestMilliseconds: 100 },
};

for (const [kind, makeReplica] of [
  ["folder", folderReplica],
  ["bucket", bucketReplica],
] as const) {
  describe(`replicator to a ${kind}`, () => {
    let replica: TestReplica;
    let journal: GrownJournal;
    let events: ReplicatorEvent[];
    let now: number;
    const replicators: Replicator[] = [];

    const start = (rules: Partial<ReplicatorRules> = {}, store: ObjectStore = replica.open()): Replicator => {
      const replicator = new Replicator(
        store,
        NAMED,
        journal.source,
        { ...RULES, ...rules },
        () => now,
        (event) => events.push(event),
      );
      replicators.push(replicator);
      replicator.start();
      return replicator;
    };
    const codes = (rows: readonly { readonly code: Uint8Array }[]) => rows.map(({ code }) => Buffer.from(code));
    const diverged = (): string => events.map((event) => (event.kind === "diverged" ? event.reason : "")).join("");
    const count = (kind: ReplicatorEvent["kind"]): number => events.filter((event) => event.kind === kind).length;
    const sizes = (): number[] =>
      events.flatMap((event) => (event.kind === "stored" ? [event.last - event.first + 1] : []));
    const arrived = (): Promise<void> =>
      eventually(async () => assert.deepEqual(codes(await readAll(replica.open())), codes(await journal.rows())));
    // An object can be read a moment before its notification.
    const storedIn = (expected: readonly number[]): Promise<void> =>
      eventually(async () => assert.deepEqual(sizes(), expected));
    const happened = (kind: ReplicatorEvent["kind"]): Promise<void> =>
      eventually(async () => assert.isAbove(count(kind), 0, kind));

    beforeEach(async () => {
      replica = await makeReplica();
      journal = await GrownJournal.open();
      events = [];
      now = 1_000_000;
    });
    afterEach(async () => {
      await Promise.all(replicators.splice(0).map((replicator) => replicator.stop()));
      await replica.close();
      await journal.close();
    });

    it("replicates existing and later entries", async () => {
      await journal.grow(7);
      const replicator = start();
      await arrived();
      await journal.grow(5);
      await arrived();
      await eventually(async () => assert.deepEqual(replicator.lag(), { entries: 0, seconds: 0 }));
      await storedIn([7, 5]);
      assert.equal(replicator.name, replica.open().name);
    });

    it("writes nothing without entries", async () => {
      start();
      await happened("agreed");
      let queries = 0;
      await eventually(async () => assert.isAbove(++queries, 5));
      assert.deepEqual(await replica.list(), []);
      assert.deepEqual(events, [{ kind: "agreed" }]);
    });

    it("catches up in full objects of whole rows", async () => {
      await journal.grow(3_250);
      start({ entries: 1_450 });
      await arrived();
      await storedIn([1_500, 1_500, 250]);
    });

    it("ends an object of long entries early", async () => {
      for (let row = 0; row < 6; row += 1) await journal.grow(1, randomBytes(1_000).toString("base64"));
      start({ bytes: 1_500 });
      await arrived();
      await storedIn([2, 2, 2]);
    });

    it("continues at the target's last entry after a restart", async () => {
      await journal.grow(150);
      const first = start();
      await arrived();
      await first.stop();
      await journal.grow(20);
      start();
      await arrived();
      await storedIn([100, 50, 20]);
    });

    it("waits for an unavailable target, reports it once, and recovers", async () => {
      await journal.grow(10);
      const replicator = start();
      await arrived();
      await replica.makeUnavailable();
      await journal.grow(500);
      await happened("failing");
      await eventually(async () => assert.equal(replicator.lag().entries, 500));
      await replica.makeAvailable();
      await arrived();
      await happened("recovered");
      assert.equal(count("failing"), 1);
      assert.equal(count("recovered"), 1);
      await storedIn([10, 100, 100, 100, 100, 100]);
    });

    it("starts without its target", async () => {
      await replica.makeUnavailable();
      await journal.grow(3);
      const replicator = start();
      await happened("failing");
      await eventually(async () => assert.equal(replicator.lag().entries, 3));
      await replica.makeAvailable();
      await arrived();
    });

    it("raises an alert for a lagging target, and resolves it", async () => {
      await journal.grow(10);
      const replicator = start();
      await arrived();
      await replica.makeUnavailable();
      await journal.grow(30);
      await eventually(async () => assert.equal(replicator.lag().entries, 30));
      now += 60_000;
      assert.deepEqual(replicator.lag(), { entries: 30, seconds: 60 });
      now += 1_000;
      await happened("lagging");
      assert.deepInclude(
        events.find((event) => event.kind === "lagging"),
        { entries: 30, seconds: 61 },
      );
      await replica.makeAvailable();
      await happened("caught_up");
      assert.equal(count("lagging"), 1);
      assert.equal(count("caught_up"), 1);
    });

    it("shares a target with other replicators", async () => {
      for (let relayer = 0; relayer < 4; relayer++) start({ entries: 7 + relayer });
      for (let turn = 0; turn < 10; turn++) {
        await journal.grow(13);
        await arrived();
      }
      assert.equal(count("failing"), 0);
      assert.equal(count("diverged"), 0);
    });

    it("never writes to a target with another history", async () => {
      const other = await GrownJournal.open();
      await other.grow(20, "other");
      await storeRows(replica.open(), await other.rows());
      await other.close();
      const before = await replica.list();
      await journal.grow(50);
      start();
      await happened("diverged");
      assert.equal(diverged(), "the target has another entry 20 than the journal");
      assert.deepEqual(await replica.list(), before);
    });

    it("never writes to a target with rows of another key", async () => {
      await journal.grow(20);
      const key = JournalKey.generate();
      await storeRows(
        replica.open(),
        (await journal.rows()).map((row) => ({ ...row, code: key.codeOf(row) })),
      );
      start();
      await happened("diverged");
      assert.match(diverged(), /^the target's entries up to 20 were written in other rows, or with another key/);
    });

    it("never writes to a target with another name of the journal, whose code does not count", async () => {
      await journal.grow(20);
      await storeRows(replica.open(), await journal.rows(), { ...NAMED, journal: "another" });
      start();
      await happened("diverged");
      assert.equal(diverged(), `the target is of another journal than ${NAMED.journal}`);
    });

    it("never writes to a target that is ahead, and continues when the journal has its entries", async () => {
      for (let row = 0; row < 4; row += 1) await journal.grow(10);
      const rows = await journal.rows();
      await storeRows(replica.open(), rows);
      await journal.database.deleteFrom("entries").where("first_sequence", ">", 20).execute();
      await journal.database.deleteFrom("resolutions").where("sequence", ">", 20).execute();
      start();
      await happened("diverged");
      assert.equal(diverged(), "the target goes up to entry 40, which the journal does not have");
      assert.lengthOf(await replica.list(), 1);
      for (let row = 0; row < 2; row += 1) await journal.grow(10);
      await happened("recovered");
      await journal.grow(10);
      await arrived();
      assert.equal(count("diverged"), 1);
    });

    it("never writes to a target that has lost what it had, as a disk that is not mounted", async () => {
      await journal.grow(10);
      start();
      await arrived();
      await happened("stored");
      const [name = ""] = await replica.list();
      const content = await replica.get(name);
      await replica.remove(name);
      await journal.grow(10);
      await happened("diverged");
      assert.equal(diverged(), `the target has lost ${name}: is it mounted?`);
      assert.isEmpty(await replica.list());
      await replica.put(name, content);
      await arrived();
    });

    it("detects a replaced target", async () => {
      await journal.grow(10);
      start();
      await arrived();
      await happened("stored");
      const other = await GrownJournal.open();
      await other.grow(15, "other");
      await storeRows(replica.open(), await other.rows());
      await other.close();
      const before = await replica.list();
      await journal.grow(10);
      await happened("diverged");
      assert.deepEqual(await replica.list(), before);
    });

    it("never replicates a row that was changed in the journal", async () => {
      await journal.grow(10);
      start();
      await arrived();
      await happened("stored");
      const before = await replica.list();
      await journal.grow(10);
      await journal.forge(15);
      await journal.grow(10);
      await happened("diverged");
      assert.match(diverged(), /^the entries 11 to 20 of the journal were not written by a relayer, or were changed/);
      assert.deepEqual(await replica.list(), before);
    });

    it("stops while catching up, at the end of an object", async () => {
      await journal.grow(5_000);
      const store = replica.open();
      let stopping: Promise<void> | undefined;
      const replicator = start(
        { entries: 100 },
        {
          name: store.name,
          list: (after) => store.list(after),
          get: (name, limit) => store.get(name, limit),
          async put(name, content) {
            await store.put(name, content);
            stopping ??= replicator.stop();
          },
        },
      );
      await happened("stored");
      await stopping;
      assert.equal(count("stored"), 1);
      assert.lengthOf(await readAll(store), 1);
    });

    it("finds the newest of very many objects with few requests", async () => {
      await journal.grow(100);
      const rows = await journal.rows();
      const store = replica.open();
      await storeRows(store, rows);
      const listed: string[] = [];
      // As if there had been a hundred million entries before.
      const far = 100_000_000;
      const names: ObjectStore = {
        name: "far",
        get: (name, limit) => store.get(name, limit),
        put: (name, content) => store.put(name, content),
        async *list(after) {
          listed.push(after);
          yield* store.list(after);
        },
      };
      assert.equal((await findNewestObject(names, far))?.last, 100);
      assert.lengthOf(listed, 3);
      listed.length = 0;
      assert.equal((await findNewestObject(names, 150))?.last, 100);
      assert.lengthOf(listed, 1);
    });
  });
}
