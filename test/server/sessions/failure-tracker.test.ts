import { assert } from "chai";
import fc from "fast-check";
import { FailureTracker } from "../../../server/sessions/failed-logins.ts";
import { failuresInMemory } from "../../support/failures-in-memory.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

describe("failure tracker", () => {
  let now = 0;
  const clock = () => now;
  beforeEach(() => (now = Date.parse("2026-11-21")));

  /** Fails until it is locked out, and returns for how long. */
  const lockOut = async (tracker: FailureTracker, key: string): Promise<number> => {
    let allowance = await tracker.allowanceOf(key);
    while (allowance.left > 0) allowance = await tracker.add(key);
    return allowance.lockedFor;
  };
  const trackerOf = (most: number) => new FailureTracker({ most, clock, store: failuresInMemory() });
  const stateOf = async (tracker: FailureTracker, key: string): Promise<readonly [number, number]> => {
    const { left, lockedFor } = await tracker.allowanceOf(key);
    return [left, lockedFor];
  };

  it("locks a key out after the maximum of failures within a minute, and no other", async () => {
    const tracker = trackerOf(3);
    await tracker.add("a");
    await tracker.add("a");
    assert.deepEqual(await stateOf(tracker, "a"), [1, 0]);
    now += MINUTE;
    assert.deepEqual(await stateOf(tracker, "a"), [3, 0], "a minute later they do not count any more");
    assert.equal(await lockOut(tracker, "a"), MINUTE);
    assert.deepEqual(await stateOf(tracker, "a"), [0, MINUTE]);
    assert.deepEqual(await stateOf(tracker, "b"), [3, 0]);
    now += MINUTE - 1;
    assert.deepEqual(await stateOf(tracker, "a"), [0, 1]);
    now += 1;
    assert.deepEqual(await stateOf(tracker, "a"), [3, 0]);
  });

  it("doubles the time with every lock-out, up to an hour", async () => {
    const tracker = trackerOf(2);
    const minutes: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const locked = await lockOut(tracker, "a");
      now += locked;
      minutes.push(locked / MINUTE);
    }
    assert.deepEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("resets lock-outs a day after the last one, and immediately on request", async () => {
    const tracker = trackerOf(2);
    for (const locked of [1, 2]) {
      assert.equal(await lockOut(tracker, "a"), locked * MINUTE);
      now += locked * MINUTE;
    }
    now += DAY - 1;
    assert.equal(await lockOut(tracker, "a"), 4 * MINUTE, "not before");
    now += 4 * MINUTE + DAY;
    assert.equal(await lockOut(tracker, "a"), MINUTE);
    await tracker.forgive("a");
    assert.deepEqual(await stateOf(tracker, "a"), [2, 0]);
    assert.equal(await lockOut(tracker, "a"), MINUTE);
  });

  it("does not prolong a lock-out beyond an hour when the clock is set back", async () => {
    const tracker = trackerOf(1);
    await tracker.add("a");
    now -= 10 * DAY;
    assert.deepEqual(await stateOf(tracker, "a"), [0, 60 * MINUTE]);
  });

  it("never exceeds its maximum of failures per key", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 3 * MINUTE }), { minLength: 1, maxLength: 200 }),
        async (most, waits) => {
          now = 0;
          const tracker = trackerOf(most);
          const failures: number[] = [];
          for (const wait of waits) {
            now += wait;
            const { left, lockedFor } = await tracker.allowanceOf("a");
            if (left === 0) assert.isAbove(lockedFor, 0);
            else {
              failures.push(now);
              await tracker.add("a");
            }
          }
          // In any minute there are at most the end of one window and the beginning of the next.
          for (const start of failures)
            assert.isAtMost(failures.filter((time) => time >= start && time < start + MINUTE).length, 2 * most - 1);
        },
      ),
    );
  });
});
