import { setImmediate } from "node:timers/promises";
import { assert } from "chai";
import { eventually } from "../../support/eventually.ts";
import { FairTurns } from "../../../server/http/fair-turns.ts";

const TICK = 5;
const LONG = 50;

describe("turns of sources", () => {
  let now = 0;
  let turns: FairTurns;
  let begun: string[];
  beforeEach(() => {
    now = 0;
    turns = new FairTurns(() => now);
    begun = [];
  });
  const begin = (source: string): (() => void) => turns.begin(source, () => begun.push(source));
  const beginMany = (source: string, count: number): (() => void)[] =>
    Array.from({ length: count }, () => begin(source));
  /** A check that comes late by some milliseconds. */
  const check = (late = 0): void => {
    now += TICK + late;
    turns.check();
  };
  const count = (source: string): number => begun.filter((one) => one === source).length;
  /** Checks with two sources until each of them has only few requests at a time. */
  const slowDown = async (): Promise<void> => {
    for (const source of ["a", "b"]) begin(source)();
    await setImmediate();
    begun = [];
    for (let step = 0; step < 20; step += 1) check(LONG);
    // The pause ends.
    for (let step = 0; step < LONG; step += 1) check();
  };

  it("come at once for the only source", () => {
    beginMany("a", 500);
    check(LONG);
    beginMany("a", 500);
    assert.lengthOf(begun, 1_000);
  });

  it("come soon while the thread keeps up", () => {
    begin("b")();
    beginMany("a", 500);
    assert.equal(count("a"), 16);
    for (let step = 0; step < 30; step += 1) check();
    assert.equal(count("a"), 500);
  });

  it("come later for a source with many requests beside another one, and at once for that one", async () => {
    await slowDown();
    const ends = beginMany("a", 100);
    assert.equal(count("a"), 1);
    begin("b");
    assert.equal(count("b"), 1);
    ends.shift()?.();
    await eventually(async () => assert.isAbove(count("a"), 1, "one begins after another one has ended"));
    for (let step = 0; step < 60; step += 1) check();
    assert.equal(count("a"), 100);
  });

  it("come at once again when the other source has gone", async () => {
    await slowDown();
    beginMany("a", 500);
    assert.equal(count("a"), 1);
    for (let step = 0; step < 1_000; step += 1) check(LONG);
    assert.equal(count("a"), 500);
    beginMany("a", 500);
    assert.equal(count("a"), 1_000);
  });

  it("become half as many whenever the thread does not keep up, and more while it does", async () => {
    begin("b");
    const ends = beginMany("a", 200);
    for (let step = 0; step < 30; step += 1) check();
    assert.equal(count("a"), 200);
    check(LONG);
    for (const end of ends.splice(0, 101)) end();
    await setImmediate();
    beginMany("a", 30);
    assert.equal(count("a"), 200, "none begins in the pause");
    for (let step = 0; step < LONG / TICK; step += 1) check();
    assert.equal(count("a"), 200 + 113 - 99, "half of 200, and an eighth more after the pause");
  });

  it("do not pause while no other source has requests", async () => {
    begin("b")();
    const ends = beginMany("a", 10);
    check(LONG);
    for (const end of ends) end();
    await setImmediate();
    begin("a");
    assert.equal(count("a"), 11);
    begin("b");
    begin("a");
    assert.equal(count("a"), 11);
  });

  it("come at once for a source with less than half the requests of another one", async () => {
    const ends = beginMany("a", 100);
    await slowDown();
    beginMany("b", 60);
    assert.equal(count("b"), 50);
    for (const end of ends) end();
    await setImmediate();
    assert.equal(count("b"), 50, "there are more than few in progress");
  });

  it("are not taken by requests that have ended before", async () => {
    begin("b");
    await slowDown();
    const ends = beginMany("a", 2);
    ends.at(-1)?.();
    for (let step = 0; step < 10; step += 1) check();
    assert.equal(count("a"), 1);
  });

  it("are refused to a source with very many waiting requests", async () => {
    begin("b");
    await slowDown();
    assert.throws(() => beginMany("a", 5_000), "too many requests are waiting");
  });
});
