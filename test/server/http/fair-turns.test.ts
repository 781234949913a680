import { assert } from "chai";
import { FairTurns, type Turn } from "../../../server/http/fair-turns.ts";
import { nextTurn } from "../../../server/kit/next-turn.ts";

const TICK = 5;
const LONG = 50;
const MIB = 1024 * 1024;

describe("turns of sources", () => {
  let now = 0;
  let turns: FairTurns;
  let begun: string[];
  beforeEach(() => {
    now = 0;
    turns = new FairTurns(() => now);
    begun = [];
  });
  const begin = (source: string, bytes = 0): Turn => turns.begin(source, bytes, () => begun.push(source));
  const beginMany = (source: string, count: number): void => {
    for (let number = 0; number < count; number += 1) begin(source);
  };
  /** A check that comes late by some milliseconds. */
  const check = (late = 0): void => {
    now += TICK + late;
    turns.check();
  };
  const seconds = (count: number): void => {
    for (let milliseconds = 0; milliseconds < count * 1000; milliseconds += TICK) check();
  };
  const count = (source: string): number => begun.filter((one) => one === source).length;

  it("come at once for the only source", () => {
    beginMany("a", 5_000);
    check(LONG);
    beginMany("a", 5_000);
    assert.lengthOf(begun, 10_000);
  });

  it("come at once while the thread keeps up", () => {
    begin("b");
    beginMany("a", 5_000);
    check();
    beginMany("a", 5_000);
    assert.equal(count("a"), 10_000);
  });

  it("come later for the source with the most requests when the thread is late, and at once for the other one", () => {
    begin("b");
    beginMany("a", 1_000);
    check(LONG);
    beginMany("a", 100);
    assert.equal(count("a"), 1_000);
    beginMany("b", 100);
    assert.equal(count("b"), 101);
    seconds(1);
    assert.equal(count("a"), 1_100, "as time passes");
  });

  it("come at once for a source with few requests, however late the thread is", () => {
    for (let step = 0; step < 200; step += 1) {
      begin("a");
      begin("b");
      check(LONG);
    }
    assert.deepEqual([count("a"), count("b")], [200, 200]);
  });

  it("come more often while requests wait and the thread keeps up", () => {
    begin("b");
    beginMany("a", 1_000);
    for (let step = 0; step < 10; step += 1) check(LONG);
    beginMany("a", 4_000);
    const perSecond = [1, 2, 3].map(() => {
      const before = count("a");
      seconds(1);
      return count("a") - before;
    });
    assert.deepEqual(
      perSecond,
      perSecond.toSorted((one, other) => one - other),
    );
    assert.isAbove(perSecond[2] ?? 0, 2 * (perSecond[0] ?? Infinity));
  });

  it("come later for a source with few large bodies than for one with many small ones", () => {
    beginMany("b", 200);
    begin("a", 16 * MIB);
    check(LONG);
    begin("a");
    assert.equal(count("a"), 1);
    beginMany("b", 100);
    assert.equal(count("b"), 300);
  });

  it("come later for a source with large responses", () => {
    begin("b");
    begin("a").end(16 * MIB);
    check(LONG);
    begin("a");
    assert.equal(count("a"), 1);
  });

  it("come later for a source with long work", async () => {
    begin("b");
    let ended = Promise.resolve();
    turns.begin("a", 0, () => {
      ended = (async () => {
        for (let turn = 0; turn < 40; turn += 1) {
          await nextTurn();
          for (const end = performance.now() + 2; performance.now() < end;);
        }
      })();
    });
    await ended;
    check(LONG);
    begin("a");
    assert.equal(count("a"), 0);
  });

  it("do not come later for want of another active source", () => {
    begin("b");
    seconds(2);
    beginMany("a", 1_000);
    check(LONG);
    beginMany("a", 1_000);
    assert.equal(count("a"), 2_000);
  });

  it("come at once again when the other source has gone", () => {
    begin("b");
    beginMany("a", 1_000);
    check(LONG);
    beginMany("a", 4_000);
    seconds(6);
    beginMany("a", 4_000);
    assert.equal(count("a"), 9_000);
  });

  it("are not taken by requests that have ended before", () => {
    begin("b");
    beginMany("a", 1_000);
    check(LONG);
    const given = begin("a");
    given.end();
    seconds(3);
    assert.equal(count("a"), 1_000);
  });

  it("are refused to a source with very many waiting requests", () => {
    begin("b");
    beginMany("a", 1_000);
    check(LONG);
    assert.throws(() => beginMany("a", 5_000), "too many requests are waiting");
  });

  it("cost each check a time that is linear in the number of sources", () => {
    const costOf = (sources: number): number => {
      turns = new FairTurns(() => now);
      for (let number = 0; number < sources; number += 1) begin(`source ${number}`);
      // After a second without requests none is active.
      seconds(1);
      const { user } = process.cpuUsage();
      for (let number = 0; number < 3; number += 1) check();
      return process.cpuUsage({ user, system: 0 }).user;
    };
    costOf(2_000);
    // Ten times the sources; a comparison of all pairs costs a hundred times the time.
    assert.isBelow(costOf(20_000), 50 * Math.max(costOf(2_000), 100));
  });
});
