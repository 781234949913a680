import { assert } from "chai";
import { semaphore } from "../../../server/kit/semaphore.ts";
import { SealbookError } from "../../../server/errors.ts";

describe("semaphore", () => {
  it("runs a limited number, queues the next in order, and rejects the rest", async () => {
    const limited = semaphore(2, 2);
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const work = (name: string) =>
      limited(async () => {
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

  it("releases its slot on failure", async () => {
    const limited = semaphore(1, 1);
    const failing = limited(() => Promise.reject(new Error("no")));
    const next = limited(async () => "next");
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
