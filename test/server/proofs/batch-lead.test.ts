import { assert } from "chai";
import {
  BatchLead,
  closingTime,
  nextBlocks,
  type SeenBlock,
  withBlock,
} from "../../../server/proofs/batch-schedule.ts";

const PERIOD = 5_000;
/** Time until a transaction is at the proposer, and until a block is at the relayer. */
const TRAVEL = 150;
const STEP = 50;

interface Batch {
  readonly id: number;
  readonly openedAt: number;
  readonly sentAt: number;
  /** Hashes that arrived at a steady rate. */
  readonly arrivals: readonly number[];
}

/** A relayer with a steady load on a chain whose nodes fill a block some time before they publish it. */
class SimulatedChain {
  readonly lead = new BatchLead();
  readonly latencies: number[] = [];
  /** Batches, and those that were in a later block than the next one to be published. */
  batches = 0;
  #time = 0;
  #seen: readonly SeenBlock[] = [];
  #open: { openedAt: number; arrivals: number[] } | undefined;
  #sent: Batch[] = [];
  #filled: { readonly number: number; readonly batches: readonly Batch[] } | undefined;
  readonly #learns: boolean;

  constructor(learns = true) {
    this.#learns = learns;
  }

  /** @param filledBefore How long before its publication a block is filled, in milliseconds */
  run(blocks: number, filledBefore: number): this {
    const end = this.#time + blocks * PERIOD;
    this.latencies.length = 0;
    this.batches = 0;
    for (; this.#time < end; this.#time += STEP) {
      const now = this.#time;
      const phase = (now + filledBefore) % PERIOD;
      if (phase === 0) this.#fill((now + filledBefore) / PERIOD);
      if (now % PERIOD === 0 && now > 0) this.#publish(now / PERIOD);
      this.#open ??= { openedAt: now, arrivals: [] };
      this.#open.arrivals.push(now);
      this.#close(now);
    }
    return this;
  }

  get median(): number {
    return [...this.latencies].sort((a, b) => a - b)[Math.floor(this.latencies.length / 2)] ?? Infinity;
  }

  #fill(number: number): void {
    const batches = this.#sent.filter(({ sentAt }) => sentAt + TRAVEL <= this.#time);
    this.#sent = this.#sent.filter((batch) => !batches.includes(batch));
    this.#filled = { number, batches };
  }

  #publish(number: number): void {
    const seenAt = this.#time + TRAVEL;
    this.#seen = withBlock(this.#seen, { number, time: this.#time / 1_000, seenAt });
    if (this.#filled?.number !== number) return;
    for (const { id, arrivals } of this.#filled.batches) {
      if (this.#learns) this.lead.included(id, number);
      this.latencies.push(...arrivals.map((at) => seenAt - at));
    }
    this.#filled = undefined;
  }

  #close(now: number): void {
    const open = this.#open;
    const times = nextBlocks(this.#seen, now);
    if (open === undefined || times === undefined) return;
    const rules = { maxAgeMilliseconds: 60_000, gatherMilliseconds: 10, leadMilliseconds: this.lead.milliseconds };
    const inFlight = this.#sent.length + (this.#filled?.batches.length ?? 0);
    const state = { size: open.arrivals.length, openedAt: open.openedAt, inFlight, nextBlocks: times };
    if (closingTime(state, rules, now) > now) return;
    this.batches += 1;
    const id = now;
    this.lead.closed(id, now, { number: (this.#seen.at(-1)?.number ?? 0) + 1, times });
    this.#sent.push({ id, openedAt: open.openedAt, sentAt: now, arrivals: open.arrivals });
    this.#open = undefined;
  }
}

describe("the lead of a batch before its block", () => {
  it("stays short on a chain that fills its blocks when it publishes them", () => {
    const chain = new SimulatedChain().run(200, 0);
    assert.equal(chain.lead.milliseconds, 400);
    assert.isAtMost(chain.median, 3_500);
  });

  for (const filledBefore of [1_000, 2_000, 3_000, 4_000]) {
    it(`is learned on a chain that fills its blocks ${filledBefore} ms earlier`, () => {
      const chain = new SimulatedChain().run(100, filledBefore);
      chain.run(300, filledBefore);
      assert.isAtLeast(chain.lead.milliseconds, filledBefore);
      assert.isAtMost(chain.lead.milliseconds, 1.5 * (filledBefore + TRAVEL) + 400);
      assert.isAtMost(chain.median, PERIOD / 2 + 1.3 * filledBefore + 700, "not a whole block later");
      const fixed = new SimulatedChain(false).run(400, filledBefore);
      // Above 3 s the lead before a block is as long as the wait for the next one.
      if (filledBefore <= 3_000) assert.isAbove(fixed.median, chain.median + 1_000, "without learning");
    });
  }

  it("decays when the nodes become faster", () => {
    const chain = new SimulatedChain().run(100, 3_000);
    assert.isAbove(chain.lead.milliseconds, 3_000);
    chain.run(900, 0);
    assert.isAtMost(chain.lead.milliseconds, 450);
  });

  it("is bounded, whatever the chain does", () => {
    const lead = new BatchLead();
    for (let batch = 0; batch < 5_000; batch += 1) {
      lead.closed(batch, 0, { number: 1, times: [lead.milliseconds, lead.milliseconds + PERIOD] });
      if (batch % 2 === 0) lead.included(batch, 100);
    }
    assert.equal(lead.milliseconds, 1.25 * PERIOD);
  });

  it("does not follow batches that were closed at another time, or that are in no block", () => {
    const lead = new BatchLead();
    lead.closed(1, 0, { number: 7, times: [100, 100 + PERIOD] });
    lead.included(1, 8);
    lead.closed(2, 0, { number: 7, times: [400, 400 + PERIOD] });
    lead.included(2, undefined);
    lead.included(3, 99);
    assert.equal(lead.milliseconds, 400);
    lead.closed(4, 0, { number: 7, times: [400, 400 + PERIOD] });
    lead.included(4, 8);
    assert.equal(lead.milliseconds, 600);
  });
});
