import type { BlockHead } from "../chain/block.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";

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

/** The state of the open batch and the chain that determines the closing time. Times are of the steady clock. */
export interface BatchState {
  /** Hashes in the open batch; at least one. */
  readonly size: number;
  /** Acceptance time of the first hash. */
  readonly openedAt: number;
  /** Closed batches of single proofs, of this process, without an outcome. */
  readonly inFlight: number;
  /** Expected times of the next two blocks; `undefined` on a chain without regular blocks. */
  readonly nextBlocks: readonly [number, number] | undefined;
}

/** The rules of the closing time: a setting, the learned lead, and a constant. */
export interface BatchRules {
  /** Maximum time that a hash waits for others. */
  readonly maxAgeMilliseconds: number;
  /** Time before a block at which a transaction must be sent to be included. */
  readonly leadMilliseconds: number;
  /** Time that proofs which cannot go on chain yet wait for others to share their write to disk. */
  readonly gatherMilliseconds: number;
}

/**
 * Returns when the open batch closes; a time in the past means at once. The earliest of these applies:
 * - the batch is full;
 * - its oldest hash has reached the maximum age;
 * - the chain is ready for it. With regular blocks, that is shortly before the next one, so that everything which can
 *   be in a block shares one transaction. With blocks on demand, it is as soon as no batch is in flight.
 */
export function closingTime(state: BatchState, rules: BatchRules, now: number): number {
  const { size, openedAt, inFlight, nextBlocks } = state;
  if (size >= MAX_TREE_SIZE) return now;
  const age = openedAt + rules.maxAgeMilliseconds;
  if (nextBlocks === undefined) return inFlight === 0 ? now : age;
  const [next, afterNext] = nextBlocks;
  // Skips the next block when it has a batch already: a second one might miss it.
  const target = openedAt <= next - rules.leadMilliseconds || inFlight === 0 ? next : afterNext;
  return Math.min(age, target - rules.leadMilliseconds);
}

/**
 * Returns when queued single proofs are written to disk: at once when their batch can close, else after the gather
 * time, so that more of them share the write. The response waits for the chain anyway.
 * @param arrivedAt Arrival time of the first of them
 * @param closingAt Closing time of their batch
 */
export function writingTime(arrivedAt: number, closingAt: number, rules: BatchRules): number {
  return Math.min(closingAt, arrivedAt + rules.gatherMilliseconds);
}

/** A block and the local time at which this process received it. */
export interface SeenBlock extends BlockHead {
  /** Unix milliseconds of the local clock. */
  readonly seenAt: number;
}

/** The newest blocks; the block interval is derived from them. */
const WINDOW = 8;
/** Fewer intervals than this can be regular by chance. */
const LEAST_INTERVALS = 3;
/** Blocks that come faster than this count as blocks on demand. */
const SHORTEST_PERIOD = 1_000;
/** Block times are whole seconds. */
const ROUNDING_SECONDS = 1;

/** Adds the newest block, and drops those outside the window. */
export function withBlock(seen: readonly SeenBlock[], block: SeenBlock): readonly SeenBlock[] {
  const last = seen.at(-1);
  // After a decrease of the block number, as a node behind a load balancer can cause, the window starts anew.
  const before = last === undefined || block.number > last.number ? seen : [];
  return [...before, block].slice(-WINDOW);
}

/**
 * Returns the expected times of the next two blocks, in Unix milliseconds of the local clock; `undefined` while the
 * observed blocks do not come at regular intervals, or when the next one is half an interval late.
 */
export function nextBlocks(seen: readonly SeenBlock[], now: number): readonly [number, number] | undefined {
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined || last.number - first.number < LEAST_INTERVALS) return undefined;
  const period = (last.time - first.time) / (last.number - first.number);
  if (period * 1000 < SHORTEST_PERIOD) return undefined;
  const regular = seen.every(
    ({ number, time }) => Math.abs(time - first.time - (number - first.number) * period) <= ROUNDING_SECONDS,
  );
  if (!regular) return undefined;
  // Polling detects some blocks late; the smallest delay is that of the chain itself.
  const delay = Math.min(...seen.map(({ seenAt, time }) => seenAt - time * 1000));
  const next = last.time * 1000 + delay + period * 1000;
  return now > next + (period * 1000) / 2 ? undefined : [next, next + period * 1000];
}
