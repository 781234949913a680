import { assert } from "chai";
import { FairTurns } from "../../../server/http/fair-turns.ts";

const TICK = 10;

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
  /** A check that comes late by some milliseconds. */
  const check = (late = 0): void => {
    now += TICK + late;
    turns.check();
  };
  const count = (source: string): number => begun.filter((one) => one === source).length;

  it("come at once for the only source", () => {
    for (let request = 0; request < 500; request += 1) begin("a");
    check(100);
    now += 50;
    for (let request = 0; request < 500; request += 1) begin("a");
    assert.lengthOf(begun, 1_000);
  });

  it("come later for a source with many requests beside another one, and at once for that one", () => {
    begin("b")();
    for (let request = 0; request < 100; request += 1) begin("a");
    assert.equal(count("a"), 8);
    now += 50;
    begin("a");
    begin("b");
    assert.equal(count("a"), 8);
    assert.equal(count("b"), 2);
    for (let step = 0; step < 60; step += 1) check();
    assert.equal(count("a"), 101);
  });

  it("come at once again when the other source has gone", () => {
    begin("b")();
    for (let request = 0; request < 500; request += 1) begin("a");
    check(10_000);
    assert.isBelow(count("a"), 100, "the other one may have waited for this check as well");
    for (let step = 0; step < 600; step += 1) check();
    for (let request = 0; request < 500; request += 1) begin("a");
    assert.equal(count("a"), 1_000);
  });

  it("become fewer with every delay, with pauses as long as it, and more without delays", () => {
    begin("b");
    const ends = Array.from({ length: 200 }, () => begin("a"));
    assert.equal(count("a"), 8);
    check(40);
    for (const end of ends.splice(0, 8)) end();
    for (let pause = 0; pause < 3; pause += 1) check();
    assert.equal(count("a"), 8, "none begins in the pause");
    check();
    assert.equal(count("a"), 8 + 5, "half as many, and one more for a check without delay");
    check();
    assert.equal(count("a"), 8 + 6);
  });

  it("come in any case after a while, so that a long response does not stop its source", () => {
    begin("b");
    for (let request = 0; request < 10; request += 1) begin("a");
    for (let step = 0; step < 100; step += 1) check(40);
    assert.isAtLeast(count("a"), 9);
  });

  it("are taken by each source in turn", () => {
    const ends: (() => void)[] = [];
    for (let request = 0; request < 50; request += 1) for (const source of ["a", "b"]) ends.push(begin(source));
    for (let step = 0; step < 60 && begun.length < 100; step += 1) {
      check();
      assert.isAtMost(Math.abs(count("a") - count("b")), 1);
    }
    assert.lengthOf(begun, 100);
  });

  it("are not taken by requests that have ended before", () => {
    begin("b");
    for (let request = 0; request < 8; request += 1) begin("a");
    const end = begin("a");
    end();
    for (let step = 0; step < 10; step += 1) check();
    assert.equal(count("a"), 8);
  });

  it("are refused to a source with very many waiting requests", () => {
    begin("b");
    begin("a");
    now += 50;
    assert.throws(() => {
      for (let request = 0; request < 5_000; request += 1) begin("a");
    }, "too many requests are waiting");
  });
});
