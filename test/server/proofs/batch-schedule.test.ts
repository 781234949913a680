import { assert } from "chai";
import fc from "fast-check";
import { type BatchState, closingTime } from "../../../server/proofs/batch-schedule.ts";

const RULES = { maxAgeMilliseconds: 12_000, leadMilliseconds: 400, gatherMilliseconds: 20 };
const OPENED = 1_000_000;
const state = (change: Partial<BatchState> = {}): BatchState => ({
  size: 1,
  openedAt: OPENED,
  inFlight: 0,
  nextBlocks: undefined,
  ...change,
});

describe("a batch closes", function () {
  it("immediately when it is full", () => {
    assert.equal(closingTime(state({ size: 1000, inFlight: 3 }), RULES, OPENED), OPENED);
  });

  describe("with blocks on demand", function () {
    it("immediately when nothing is in flight", () => {
      assert.equal(closingTime(state(), RULES, OPENED + 7), OPENED + 7);
    });

    it("at the maximum age of its oldest hash while the previous one is not on chain", () => {
      assert.equal(closingTime(state({ size: 999, inFlight: 1 }), RULES, OPENED + 7), OPENED + 12_000);
    });
  });

  describe("with regular blocks", function () {
    const nextBlocks = [OPENED + 3_000, OPENED + 6_000] as const;

    it("shortly before the next block, even when nothing is in flight", () => {
      for (const inFlight of [0, 1, 5]) {
        assert.equal(closingTime(state({ inFlight, nextBlocks }), RULES, OPENED + 7), OPENED + 2_600);
      }
    });

    it("before the block after the next when the next one is close and has a batch", () => {
      const late = state({ openedAt: OPENED + 2_650, inFlight: 1, nextBlocks });
      assert.equal(closingTime(late, RULES, OPENED + 2_700), OPENED + 5_600);
    });

    it("before the next block also when full batches are in flight for it", () => {
      for (const now of [OPENED + 2_599, OPENED + 2_600, OPENED + 2_620]) {
        assert.equal(closingTime(state({ inFlight: 4, nextBlocks }), RULES, now), OPENED + 2_600);
      }
    });

    it("immediately when the next block is close and has no batch", () => {
      assert.isAtMost(closingTime(state({ nextBlocks }), RULES, OPENED + 2_700), OPENED + 2_700);
    });

    it("at the maximum age of its oldest hash, however late the block is", () => {
      const late = [OPENED + 60_000, OPENED + 120_000] as const;
      assert.equal(closingTime(state({ inFlight: 1, nextBlocks: late }), RULES, OPENED + 7), OPENED + 12_000);
    });
  });

  it("never later than the maximum age of its oldest hash, and never in the past, with a simulated clock", () => {
    const times = fc.record({
      size: fc.integer({ min: 1, max: 1000 }),
      inFlight: fc.integer({ min: 0, max: 3 }),
      period: fc.option(fc.integer({ min: 1_000, max: 12_000 }), { nil: undefined }),
      age: fc.integer({ min: 0, max: 11_999 }),
      due: fc.integer({ min: 0, max: 12_000 }),
    });
    fc.assert(
      fc.property(times, ({ size, inFlight, period, age, due }) => {
        const now = OPENED + age;
        const nextBlocks = period === undefined ? undefined : ([now + due, now + due + period] as const);
        const close = closingTime(state({ size, inFlight, nextBlocks }), RULES, now);
        assert.isAtMost(close, OPENED + RULES.maxAgeMilliseconds);
        // The clock jumps to the closing time: then it has come.
        const then = Math.max(now, close);
        if (nextBlocks === undefined || then < nextBlocks[0]) {
          assert.isAtMost(closingTime(state({ size, inFlight, nextBlocks }), RULES, then), then);
        }
      }),
    );
  });

  /** Hashes arrive evenly at a simulated chain. Returns each batch's time of the first hash and time of its block. */
  const simulate = (perTick: number): { openedAt: number; minedAt: number }[] => {
    const period = 3_000;
    const blockAfter = (time: number): number => Math.ceil(time / period) * period;
    const batches: { openedAt: number; minedAt: number }[] = [];
    let openedAt: number | undefined;
    let size = 0;
    for (let now = 10; now < 60_000; now += 10) {
      openedAt ??= now;
      size += perTick;
      const next = blockAfter(now + 1);
      const inFlight = batches.filter(({ minedAt }) => minedAt > now).length;
      if (closingTime({ size, openedAt, inFlight, nextBlocks: [next, next + period] }, RULES, now) > now) continue;
      batches.push({ openedAt, minedAt: blockAfter(now + 200) });
      openedAt = undefined;
      size = 0;
    }
    return batches;
  };

  it("once a block on a simulated chain under a steady load, or whenever it is full", () => {
    assert.approximately(simulate(1).length, 20, 1);
    // 1,200 hashes a second: three full ones and what is left for each block.
    assert.approximately(simulate(12).length, 80, 4);
  });

  it("early enough for the first possible block, under any load", () => {
    for (const perTick of [1, 3, 12, 50]) {
      for (const { openedAt, minedAt } of simulate(perTick))
        assert.isAtMost(minedAt - openedAt, 3_000 + RULES.leadMilliseconds);
    }
  });
});
