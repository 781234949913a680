import type { BlockHead } from "../chain/block.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";

/**
 * Time before a block at which its batch is closed: to write, sign, send and spread a transaction. A node that fills
 * its block earlier has the batch in the next one.
 */
export const LEAD_MILLISECONDS = 1_000;

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

/** The rules of the closing time: a setting, and constants. */
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
