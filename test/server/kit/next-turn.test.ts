import { setImmediate } from "node:timers/promises";
import { assert } from "chai";
import { nextTurn, onBehalfOf, type Origin } from "../../../server/kit/next-turn.ts";

class Counter implements Origin {
  turns = 0;
  milliseconds = 0;
  pause = 0;
  tookTurn(milliseconds: number): number {
    this.turns += 1;
    this.milliseconds += milliseconds;
    return this.pause;
  }
}

describe("turns of long work", () => {
  let steps: string[];
  beforeEach(() => {
    steps = [];
  });
  const work = async (name: string, turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      await nextTurn();
      steps.push(name);
    }
  };

  it("are one at a time, however much work waits", async () => {
    const running = Promise.all(["a", "b", "c"].map((name) => work(name, 3)));
    for (let turn = 0; turn <= 9; turn += 1) {
      assert.isAtMost(steps.length, turn);
      await setImmediate();
    }
    await running;
    assert.lengthOf(steps, 9);
  });

  it("alternate between origins, not pieces of work", async () => {
    const [many, one] = [new Counter(), new Counter()];
    await Promise.all([
      ...Array.from({ length: 10 }, () => onBehalfOf(many, () => work("many", 10))),
      onBehalfOf(one, () => work("one", 10)),
    ]);
    await setImmediate();
    const last = steps.lastIndexOf("one");
    assert.isAtMost(steps.slice(0, last).filter((name) => name === "many").length, 11);
    assert.deepEqual([many.turns, one.turns], [100, 10]);
  });

  it("are measured, with all that follows in them", async () => {
    const origin = new Counter();
    await onBehalfOf(origin, async () => {
      await nextTurn();
      await Promise.resolve();
      for (const end = performance.now() + 20; performance.now() < end;);
    });
    await setImmediate();
    assert.isAtLeast(origin.milliseconds, 20);
  });

  it("pause as long as the origin says", async () => {
    const origin = new Counter();
    origin.pause = 20;
    const start = performance.now();
    await onBehalfOf(origin, () => work("paused", 3));
    assert.isAtLeast(performance.now() - start, 2 * (origin.pause - 1));
  });

  it("of other origins do not pause", async () => {
    const [paused, other] = [new Counter(), new Counter()];
    paused.pause = 3_600_000;
    void onBehalfOf(paused, () => work("paused", 3));
    await onBehalfOf(other, () => work("other", 10));
    await setImmediate();
    assert.deepEqual([paused.turns, other.turns], [1, 10]);
  });

  it("of the server's own work belong to no origin, whoever caused it", async () => {
    const caller = new Counter();
    await onBehalfOf(caller, () => onBehalfOf(undefined, () => work("own", 5)));
    assert.equal(caller.turns, 0);
  });
});
