import { assert } from "chai";
import fc from "fast-check";
import { FailureTracker } from "../../../../server/http/access/failure-tracker.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

describe("book of failures", () => {
  let now = 0;
  const clock = () => now;
  beforeEach(() => (now = Date.parse("2026-11-21")));

  /** Fails until it is locked out, and says for how long. */
  const lockOut = (book: FailureTracker, key: string): number => {
    while (book.left(key) > 0) book.add(key);
    return book.lockedFor(key);
  };

  it("locks a key out after so many failures within a minute, and no other", () => {
    const book = new FailureTracker({ most: 3, clock });
    book.add("a");
    book.add("a");
    assert.deepEqual([book.left("a"), book.lockedFor("a")], [1, 0]);
    now += MINUTE;
    assert.equal(book.left("a"), 3, "a minute later they do not count any more");
    assert.equal(lockOut(book, "a"), MINUTE);
    assert.deepEqual([book.left("a"), book.left("b")], [0, 3]);
    now += MINUTE - 1;
    assert.deepEqual([book.left("a"), book.lockedFor("a")], [0, 1]);
    now += 1;
    assert.deepEqual([book.left("a"), book.lockedFor("a")], [3, 0]);
  });

  it("doubles the time with every lock-out, up to an hour", () => {
    const book = new FailureTracker({ most: 2, clock });
    const minutes = Array.from({ length: 9 }, () => {
      const locked = lockOut(book, "a");
      now += locked;
      return locked / MINUTE;
    });
    assert.deepEqual(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("forgets lock-outs a day after the last one, and at once who is forgiven", () => {
    const book = new FailureTracker({ most: 2, clock });
    for (const locked of [1, 2]) {
      assert.equal(lockOut(book, "a"), locked * MINUTE);
      now += locked * MINUTE;
    }
    now += DAY - 1;
    assert.equal(lockOut(book, "a"), 4 * MINUTE, "not before");
    now += 4 * MINUTE + DAY;
    assert.equal(lockOut(book, "a"), MINUTE);
    book.forgive("a");
    assert.deepEqual([book.left("a"), book.size], [2, 0]);
    assert.equal(lockOut(book, "a"), MINUTE);
  });

  it("remembers a bounded number of keys, those that failed last", () => {
    const book = new FailureTracker({ most: 1, clock, mostKeys: 3 });
    for (const key of ["a", "b", "c", "a", "d"]) book.add(key);
    assert.equal(book.size, 3);
    assert.deepEqual(
      ["a", "b", "c", "d"].filter((key) => book.lockedFor(key) > 0),
      ["a", "c", "d"],
    );
    for (let n = 0; n < 10_000; n += 1) book.add(`key ${n}`);
    assert.equal(book.size, 3);
  });

  it("never lets a key fail more often than it says, whatever passes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 3 * MINUTE }), { minLength: 1, maxLength: 200 }),
        (most, waits) => {
          now = 0;
          const book = new FailureTracker({ most, clock });
          const failures: number[] = [];
          for (const wait of waits) {
            now += wait;
            if (book.left("a") === 0) assert.isAbove(book.lockedFor("a"), 0);
            else {
              failures.push(now);
              book.add("a");
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
