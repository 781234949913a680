import { assert } from "chai";
import { FairQueue, type FairQueueOptions } from "../../../server/kit/fair-queue.ts";
import { SealbookError } from "../../../server/errors.ts";

/** A queue whose work ends on request. */
function manualQueue(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({ jobs: "tests", atOnce: 1, perSource: 4, known: 4, unknown: 8, ...options });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    /** Queues work named after its source and a number. */
    add: (name: string, { isKnown = false } = {}) =>
      queue.run({ key: name.slice(0, 1), isKnown }, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      }),
    /** Ends all work, in the order in which it begins. */
    async finish(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        ends[n]?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const refusalOf = async (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("fair queue", () => {
  it("runs a limited number, queues the next in order, and rejects the rest", async () => {
    const { add, begun, finish } = manualQueue({ atOnce: 2, perSource: 2 });
    const running = [add("a1"), add("a2"), add("a3"), add("a4")];
    const refused = await refusalOf(add("a5"));
    assert.instanceOf(refused, SealbookError);
    assert.include(refused, { code: "overloaded", retryAfterSeconds: 2 });
    assert.deepEqual(begun, ["a1", "a2"]);
    await finish(4);
    assert.deepEqual(await Promise.all(running), ["a1", "a2", "a3", "a4"]);
    assert.deepEqual(begun, ["a1", "a2", "a3", "a4"]);
  });

  it("releases its slot on failure", async () => {
    const queue = new FairQueue({ jobs: "tests", atOnce: 1, perSource: 1, known: 1, unknown: 1 });
    const source = { key: "a", isKnown: false };
    const failing = queue.run(source, () => Promise.reject(new Error("no")));
    const next = queue.run(source, async () => "next");
    assert.instanceOf(await refusalOf(failing), Error);
    assert.equal(await next, "next");
  });

  it("gives the sources turns, however much one of them queues", async () => {
    const { add, begun, finish } = manualQueue();
    const running = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => add(name));
    await finish(running.length);
    await Promise.all(running);
    assert.deepEqual(begun, ["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  it("alternates between known and unknown sources", async () => {
    const { add, begun, finish } = manualQueue();
    const running = [add("a1"), add("b1"), add("c1"), add("d1"), add("x1", { isKnown: true })];
    running.push(add("y1", { isKnown: true }));
    await finish(running.length);
    await Promise.all(running);
    assert.deepEqual(begun.slice(0, 4), ["a1", "x1", "b1", "y1"]);
  });

  it("has places that only known sources take, and bounds both kinds", async () => {
    const { add, finish } = manualQueue({ perSource: 1, unknown: 3, known: 2 });
    const names = ["a1", "b1", "c1", "d1"];
    const running = names.map((name) => add(name));
    assert.include(await refusalOf(add("e1")), { code: "overloaded" });
    running.push(add("x1", { isKnown: true }), add("y1", { isKnown: true }));
    assert.include(await refusalOf(add("z1", { isKnown: true })), { code: "overloaded" });
    await finish(running.length);
    assert.deepEqual(await Promise.all(running), [...names, "x1", "y1"]);
  });

  it("makes room for a new source at the cost of the one with the most waiting work", async () => {
    const { add, finish } = manualQueue({ perSource: 8, unknown: 4 });
    const kept = [add("a1"), add("a2"), add("a3"), add("a4")];
    const displaced = add("a5");
    const other = add("b1");
    assert.include(await refusalOf(displaced), { code: "overloaded" });
    await finish(5);
    assert.deepEqual(await Promise.all([...kept, other]), ["a1", "a2", "a3", "a4", "b1"]);
  });
});
