import { assert } from "chai";
import fc from "fast-check";
import { FailureTracker } from "../../../../server/http/access/failure-tracker.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

describe("failure tracker", () => {
  let now = 0;
  const clock = () => now;
  beforeEach(() => (now = Date.parse("2026-11-21")));

  /** Fails until it is locked out, and says for how long. */
  const lockOut = (tracker: FailureTracker, key: string): number => {
    while (tracker.left(key) > 0) tracker.add(key);
    return tracker.lockedFor(key);
  };

  it("locks a key out after the maximum of failures within a minute, and no other", () => {
    const tracker = new FailureTracker({ most: 3, clock });
    tracker.add("a");
    tracker.add("a");
    assert.deepEqual([tracker.left("a"), tracker.lockedFor("a")], [1, 0]);
    now += MINUTE;
    assert.equal(tracker.left("a"), 3, "a minute later they do not count any more");
    assert.equal(lockOut(tracker, "a"), MINUTE);
    assert.deepEqual([tracker.left("a"), tracker.left("b")], [0, 3]);
    now += MINUTE - 1;
    assert.deepEqual([tracker.left("a"), tracker.lockedFor("a")], [0, 1]);
    now += 1;
    assert.deepEqual([tracker.left("a"), tracker.lockedFor("a")], [3, 0]);
  });

  it("doubles the time with every lock-out, up to an hour", () => {
    const tracker = new FailureTracker({ most: 2, clock });
    const minutes = Array.from({ length: 9 }, () => {
      const locked = lockOut(tracker, "a");
      now += locked;
      return locked / MINUTE;
    });
    assert.deepEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("resets lock-outs a day after the last one, and immediately on request", () => {
    const tracker = new FailureTracker({ most: 2, clock });
    for (const locked of [1, 2]) {
      assert.equal(lockOut(tracker, "a"), locked * MINUTE);
      now += locked * MINUTE;
    }
    now += DAY - 1;
    assert.equal(lockOut(tracker, "a"), 4 * MINUTE, "not before");
    now += 4 * MINUTE + DAY;
    assert.equal(lockOut(tracker, "a"), MINUTE);
    tracker.forgive("a");
    assert.deepEqual([tracker.left("a"), tracker.size], [2, 0]);
    assert.equal(lockOut(tracker, "a"), MINUTE);
  });

  it("stores a bounded number of keys, those with the newest failures", () => {
    const tracker = new FailureTracker({ most: 1, clock, mostKeys: 3 });
    for (const key of ["a", "b", "c", "a", "d"]) tracker.add(key);
    assert.equal(tracker.size, 3);
    assert.deepEqual(
      ["a", "b", "c", "d"].filter((key) => tracker.lockedFor(key) > 0),
      ["a", "c", "d"],
    );
    for (let n = 0; n < 10_000; n += 1) tracker.add(`key ${n}`);
    assert.equal(tracker.size, 3);
  });

  it("never exceeds its maximum of failures per key", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 3 * MINUTE }), { minLength: 1, maxLength: 200 }),
        (most, waits) => {
          now = 0;
          const tracker = new FailureTracker({ most, clock });
          const failures: number[] = [];
          for (const wait of waits) {
            now += wait;
            if (tracker.left("a") === 0) assert.isAbove(tracker.lockedFor("a"), 0);
            else {
              failures.push(now);
              tracker.add("a");
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
