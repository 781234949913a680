import { assert } from "chai";
import { Waiters } from "../../../server/kit/waiters.ts";

const LONG_MILLISECONDS = 600_000;

describe("waiters", function () {
  let waiters: Waiters<number, string>;
  beforeEach(() => {
    waiters = new Waiters();
  });

  it("get the value of their key, and no other", async () => {
    const waits = [1, 1, 2].map((key) => waiters.begin(key, LONG_MILLISECONDS));
    waiters.wake(1, "one");
    waiters.wake(2, "two");
    assert.deepEqual(await Promise.all(waits.map(({ value }) => value)), ["one", "one", "two"]);
    assert.equal(waiters.count, 3);
    for (const wait of waits) wait.end();
    assert.equal(waiters.count, 0);
  });

  it("get nothing when there is no value in time", async () => {
    for (const milliseconds of [-1, 0, 1]) {
      const wait = waiters.begin(1, milliseconds);
      assert.isUndefined(await wait.value);
      wait.end();
    }
  });

  it("are all woken at once, and wait no more after a release", async () => {
    const first = waiters.begin(1, LONG_MILLISECONDS);
    waiters.wakeAll();
    assert.isUndefined(await first.value);
    first.end();
    const second = waiters.begin(1, LONG_MILLISECONDS);
    waiters.release();
    assert.isUndefined(await second.value);
    second.end();
    const third = waiters.begin(1, LONG_MILLISECONDS);
    assert.isUndefined(await third.value);
    third.end();
  });
});
