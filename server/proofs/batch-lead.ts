/** The lead before a block that is filled when it is published: time to write, sign, send and spread a transaction. */
const LEAST_MILLISECONDS = 400;
/** The longest lead, in block periods: a node fills its next block at the earliest when it has the one before. */
const MOST_PERIODS = 1.25;
/** Factor of the lead after a batch that came too late for its block. */
const GROWTH = 1.5;
/** Share of the lead above the least one that each batch in time takes off. */
const DECAY = 1 / 128;
/** Batches that were closed at another time than the lead prescribes, by a quarter of it, show nothing about it. */
const TOLERANCE = 0.25;
/** Batches without an outcome whose blocks are remembered. */
const MAX_EXPECTED = 1_000;

/** The next two blocks of a chain with regular blocks. */
export interface ExpectedBlocks {
  /** Number of the first. */
  readonly number: number;
  /** Milliseconds of a steady clock. */
  readonly times: readonly [number, number];
}

/** The block that a batch is expected in. */
interface Expectation {
  readonly block: number;
  /** How long before it the batch was closed. */
  readonly marginMilliseconds: number;
  readonly periodMilliseconds: number;
}

/**
 * Learns how long before a block its batch has to be closed: some nodes fill a block seconds before they publish it.
 * The lead grows with each batch that misses its block, and decays with the others: so it follows a node that becomes
 * faster, and one batch in fifty is late.
 */
export class BatchLead {
  /** By the id of the batch's anchor. */
  readonly #expected = new Map<number, Expectation>();
  #milliseconds = LEAST_MILLISECONDS;

  /** Time before a block at which its batch is closed. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** Records that a batch was closed for the next block that it can reach. */
  closed(anchorId: number, now: number, { number, times: [next, afterNext] }: ExpectedBlocks): void {
    const isForNext = next - now >= (1 - TOLERANCE) * this.#milliseconds;
    const marginMilliseconds = (isForNext ? next : afterNext) - now;
    const block = isForNext ? number : number + 1;
    this.#expected.set(anchorId, { block, marginMilliseconds, periodMilliseconds: afterNext - next });
    const [oldest] = this.#expected.keys();
    if (this.#expected.size > MAX_EXPECTED && oldest !== undefined) this.#expected.delete(oldest);
  }

  /** @param block The block of a batch; `undefined` when it is in none */
  included(anchorId: number, block: number | undefined): void {
    const expected = this.#expected.get(anchorId);
    this.#expected.delete(anchorId);
    if (expected === undefined || block === undefined) return;
    const { marginMilliseconds, periodMilliseconds } = expected;
    const lead = this.#milliseconds;
    if (block > expected.block) {
      if (marginMilliseconds >= (1 - TOLERANCE) * lead)
        this.#milliseconds = Math.max(lead, Math.min(GROWTH * lead, MOST_PERIODS * periodMilliseconds));
    } else if (marginMilliseconds <= (1 + TOLERANCE) * lead) {
      this.#milliseconds = lead - DECAY * (lead - LEAST_MILLISECONDS);
    }
  }
}
