import { assert } from "chai";
import { StallWatch } from "../../../server/proofs/stall-watch.ts";

/** A chain with a block each three seconds until 30 s, and a transaction of ours that the node has since a time. */
function watch(waitingSince: number | undefined, times = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]) {
  let now = 0;
  const stall = new StallWatch({ clock: () => now, waitingSince: () => waitingSince });
  for (const [number, time] of times.entries()) {
    now = time * 1000;
    stall.onHead({ number, time: 1_700_000_000 + Math.floor(time) });
  }
  return {
    stall,
    at: (seconds: number): boolean => {
      now = seconds * 1000;
      return stall.isStalled();
    },
  };
}

describe("a stall of the chain", () => {
  it("begins three periods after the node got a transaction, without a block since", () => {
    const { at } = watch(31_000);
    assert.deepEqual([at(31), at(39.9), at(40.1)], [false, false, true]);
  });

  it("begins three periods after the last block that lacks the transaction", () => {
    const { at } = watch(10_000);
    assert.deepEqual([at(38.9), at(39.1)], [false, true]);
  });

  it("ends with the next block", () => {
    const { stall, at } = watch(31_000);
    assert.isTrue(at(60));
    stall.onHead({ number: 11, time: 1_700_000_060 });
    assert.isFalse(at(60.1));
  });

  it("is none without a transaction, however old the newest block is", () => {
    assert.isFalse(watch(undefined).at(100_000));
  });

  it("is none while no period is known", () => {
    assert.isFalse(watch(1_000, []).at(1_000));
    assert.isFalse(watch(1_000, [0]).at(1_000));
  });

  it("counts missed blocks, and a restart's pause not as the period", () => {
    const { at } = watch(400_000, [0, 3, 6, 306, 309, 312, 315]);
    assert.deepEqual([at(408), at(410)], [false, true]);
  });

  it("counts blocks of less than a second as blocks of a second", () => {
    const { at } = watch(2_000, [0, 0.2, 0.4, 0.6, 0.8]);
    assert.deepEqual([at(4.9), at(5.1)], [false, true]);
  });
});
