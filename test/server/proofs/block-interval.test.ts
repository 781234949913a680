import { assert } from "chai";
import fc from "fast-check";
import { nextBlocks, type SeenBlock, withBlock } from "../../../server/proofs/batch-schedule.ts";

const learn = (blocks: readonly SeenBlock[]) => blocks.reduce<readonly SeenBlock[]>(withBlock, []);

describe("the block interval of a chain", function () {
  it("predicts the next blocks, within the variation observed so far", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 30, max: 500 }), { minLength: 4, maxLength: 30 }),
        (period, delays) => {
          const blocks = delays.map((delay, n) => ({
            number: 100 + n,
            time: 5_000 + n * period,
            seenAt: (5_000 + n * period) * 1000 + delay,
          }));
          const last = blocks.at(-1);
          assert.isDefined(last);
          const next = nextBlocks(learn(blocks), last?.seenAt ?? 0);
          const due = ((last?.time ?? 0) + period) * 1000 + Math.min(...delays.slice(-8));
          assert.deepEqual(next, [due, due + period * 1000]);
        },
      ),
    );
  });

  it("is known despite missed blocks", () => {
    const blocks = [1, 2, 5, 6, 9].map((number) => ({ number, time: number * 3, seenAt: number * 3_000 + 50 }));
    assert.deepEqual(nextBlocks(learn(blocks), 27_060), [30_050, 33_050]);
  });

  const none: readonly (readonly [why: string, times: readonly number[], now: number])[] = [
    ["too few were seen", [0, 3, 6], 6_100],
    ["they come on demand", [0, 1, 9, 10, 31], 31_100],
    ["they come faster than one a second", [0, 0, 0, 1, 1, 1], 1_100],
    ["the next one is late", [0, 3, 6, 9], 14_000],
  ];
  for (const [why, times, now] of none) {
    it(`is unknown when ${why}`, () => {
      assert.isUndefined(
        nextBlocks(learn(times.map((time, number) => ({ number, time, seenAt: time * 1000 + 50 }))), now),
      );
    });
  }

  it("is measured again after a rollback", () => {
    const blocks = [1, 2, 3, 4, 2].map((number) => ({ number, time: number * 3, seenAt: number * 3_000 }));
    assert.isUndefined(nextBlocks(learn(blocks), 12_000));
  });
});
