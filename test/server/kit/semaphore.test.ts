import { assert } from "chai";
import { semaphore } from "../../../server/kit/semaphore.ts";
import { SealbookError } from "../../../server/errors.ts";

describe("turns", () => {
  it("lets so many run, the next wait in order, and refuses the rest", async () => {
    const inTurn = semaphore(2, 2);
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const work = (name: string) =>
      inTurn(async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      });
    const running = [work("a"), work("b"), work("c"), work("d")];
    const refused = await work("e").then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.instanceOf(refused, SealbookError);
    assert.include(refused, { code: "overloaded", retryAfterSeconds: 2 });
    assert.deepEqual(begun, ["a", "b"]);
    for (let n = 0; n < 4; n += 1) {
      ends[n]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await Promise.all(running), ["a", "b", "c", "d"]);
    assert.deepEqual(begun, ["a", "b", "c", "d"]);
  });

  it("hands the turn on when work fails", async () => {
    const inTurn = semaphore(1, 1);
    const failing = inTurn(() => Promise.reject(new Error("no")));
    const next = inTurn(async () => "next");
    assert.instanceOf(
      await failing.then(
        () => undefined,
        (error: unknown) => error,
      ),
      Error,
    );
    assert.equal(await next, "next");
  });
});
