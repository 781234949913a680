import { assert } from "chai";
import type { SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import { formatManifest, packSegment } from "../../../../server/journal/replication/segment-file.ts";
import {
  Replicator,
  type ReplicatorEvent,
  type ReplicatorRules,
  DEFAULT_RULES,
} from "../../../../server/journal/replication/replicator.ts";
import { eventually } from "../../../support/eventually.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { bucketReplica, folderReplica, type TestReplica } from "../../../support/test-replica.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";

const RULES: ReplicatorRules = {
  ...DEFAULT_RULES,
  intervalMilliseconds: 20,
  lagLimitMilliseconds: 60_000,
  segmentLines: 100,
  retry: { firstMilliseconds: 20, longestMilliseconds: 100 },
};

for (const [kind, makeReplica] of [
  ["folder", folderReplica],
  ["bucket", bucketReplica],
] as const) {
  describe(`replicator to a ${kind}`, () => {
    let replica: TestReplica;
    let journal: MemoryJournal;
    let events: ReplicatorEvent[];
    let now: number;
    const replicators: Replicator[] = [];

    const start = (rules: Partial<ReplicatorRules> = {}, target: SegmentTarget = replica.open()): Replicator => {
      const replicator = new Replicator(
        target,
        journal,
        { ...RULES, ...rules },
        () => now,
        (event) => events.push(event),
      );
      replicators.push(replicator);
      replicator.start();
      return replicator;
    };
    const count = (kind: ReplicatorEvent["kind"]): number => events.filter((event) => event.kind === kind).length;
    const sizes = (): number[] =>
      events.flatMap((event) => (event.kind === "shipped" ? [event.last - event.first + 1] : []));
    const arrived = (): Promise<void> =>
      eventually(async () => assert.deepEqual(await readAll(replica.open()), journal.lineList));
    // An object can be read a moment before its notification.
    const shippedIn = (expected: readonly number[]): Promise<void> =>
      eventually(async () => assert.deepEqual(sizes(), expected));
    const happened = (kind: ReplicatorEvent["kind"]): Promise<void> =>
      eventually(async () => assert.isAbove(count(kind), 0, kind));

    beforeEach(async () => {
      replica = await makeReplica();
      journal = new MemoryJournal();
      events = [];
      now = 1_000_000;
    });
    afterEach(async () => {
      await Promise.all(replicators.splice(0).map((replicator) => replicator.stop()));
      await replica.close();
    });

    it("replicates existing and later entries", async () => {
      journal.grow(7);
      const replicator = start();
      await arrived();
      journal.grow(5);
      await arrived();
      await eventually(async () => assert.deepEqual(replicator.lag(), { entries: 0, seconds: 0 }));
      await shippedIn([7, 5]);
      assert.equal(replicator.state, "shipping");
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

    it("catches up in full segments, with bounded reads", async () => {
      journal.grow(3_250);
      start({ segmentLines: 1_500 });
      await arrived();
      await shippedIn([1_500, 1_500, 250]);
      assert.isAtMost(Math.max(...journal.limits), 1_000);
    });

    it("closes a segment of long entries early", async () => {
      journal.add(...Array.from({ length: 20 }, (_, index) => JSON.stringify({ index, text: "x".repeat(1_000) })));
      start({ segmentCharacters: 5_000 });
      await arrived();
      await shippedIn([5, 5, 5, 5]);
    });

    it("continues at the target's last entry after a restart", async () => {
      journal.grow(150);
      const first = start();
      await arrived();
      await first.stop();
      journal.grow(20);
      start();
      await arrived();
      await shippedIn([100, 50, 20]);
    });

    it("waits for an unavailable target, reports it once, and recovers", async () => {
      journal.grow(10);
      const replicator = start();
      await arrived();
      await replica.makeUnavailable();
      journal.grow(500);
      await happened("failing");
      assert.equal(replicator.state, "failing");
      await eventually(async () => assert.equal(replicator.lag().entries, 500));
      await replica.makeAvailable();
      await arrived();
      await happened("recovered");
      assert.equal(count("failing"), 1);
      assert.equal(count("recovered"), 1);
      await shippedIn([10, 100, 100, 100, 100, 100]);
    });

    it("starts without its target", async () => {
      await replica.makeUnavailable();
      journal.grow(3);
      const replicator = start();
      await happened("failing");
      await eventually(async () => assert.equal(replicator.lag().entries, 3));
      await replica.makeAvailable();
      await arrived();
    });

    it("raises an alert for a lagging target, and resolves it", async () => {
      journal.grow(10);
      const replicator = start();
      await arrived();
      await replica.makeUnavailable();
      journal.grow(30);
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

    it("shares a target with other replicators: each entry is stored once", async () => {
      for (let relayer = 0; relayer < 4; relayer++) start({ segmentLines: 7 + relayer });
      for (let turn = 0; turn < 10; turn++) {
        const { sequence } = await journal.grow(13).head();
        await eventually(async () => assert.equal((await replica.open().newest())?.last, sequence));
      }
      await arrived();
      assert.equal(count("failing"), 0);
      assert.equal(count("diverged"), 0);
      await eventually(async () => {
        const names = await replica.list();
        const data = names.filter((name) => name.endsWith(".gz"));
        const manifests = names.filter((name) => /\d\.json$/.test(name));
        assert.lengthOf(data, manifests.length, "the losers leave nothing");
      });
    });

    it("never writes to a target with another history", async () => {
      const other = new MemoryJournal().grow(20, "other");
      for (const segment of segmentsOf(other, 20)) await replica.open().write(segment);
      const before = await replica.list();
      journal.grow(50);
      const replicator = start();
      await happened("diverged");
      assert.match(
        events.map((event) => (event.kind === "diverged" ? event.reason : "")).join(""),
        /^the target has digest [0-9a-f]{64} at entry 20, but the journal has/,
      );
      assert.equal(replicator.state, "diverged");
      assert.deepEqual(await replica.list(), before);
    });

    it("never writes to a target that is ahead, and continues when the journal has its entries", async () => {
      const whole = new MemoryJournal().grow(30);
      for (const segment of segmentsOf(whole, 30)) await replica.open().write(segment);
      const before = await replica.list();
      journal.grow(10);
      start();
      await happened("diverged");
      journal.grow(5);
      assert.deepEqual(await replica.list(), before);
      journal.grow(25);
      await happened("recovered");
      await arrived();
      assert.equal(count("diverged"), 1);
    });

    it("detects a replaced target", async () => {
      journal.grow(10);
      start();
      await arrived();
      const [other] = segmentsOf(new MemoryJournal().grow(10, "other"), 10);
      assert(other !== undefined);
      await replica.put("000000000/000000000001.json", formatManifest((await packSegment(other, new Date())).manifest));
      const before = await replica.list();
      journal.grow(10);
      await happened("diverged");
      assert.deepEqual(await replica.list(), before);
    });

    it("never replicates an entry that was changed in the journal", async () => {
      journal.grow(10);
      start();
      await arrived();
      const before = await replica.list();
      journal.grow(10);
      journal.forge(15, '{"forged":true}');
      await happened("diverged");
      assert.deepEqual(await replica.list(), before);
    });

    it("stops while catching up, at the end of a segment", async () => {
      journal.grow(5_000);
      const replicator = start({ segmentLines: 10 });
      await happened("shipped");
      await replicator.stop();
      const shipped = count("shipped");
      assert.isBelow(shipped, 500);
      assert.deepEqual(await readAll(replica.open()), journal.lineList.slice(0, shipped * 10));
      await replicator.stop();
      assert.equal(count("shipped"), shipped);
    });

    it("continues after malformed responses of a target", async () => {
      journal.grow(5);
      const target = replica.open();
      let responses = 0;
      const faulty: SegmentTarget = {
        name: "strange",
        newest: () => target.newest(),
        manifest: (number) => target.manifest(number),
        read: (manifest) => target.read(manifest),
        // It reports all numbers as taken, and has none.
        write: async () => ++responses < 0,
        close: () => target.close(),
      };
      start({}, faulty);
      await happened("failing");
      assert.match(
        String(events.map((event) => (event.kind === "failing" ? event.error : "")).join("")),
        /segment 1 is taken, but the newest is none/,
      );
    });
  });
}
