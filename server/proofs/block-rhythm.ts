import type { BlockHead } from "../chain/block.ts";

/** A block as it was learnt of. */
export interface SeenBlock extends BlockHead {
  /** Unix milliseconds of the local clock. */
  readonly seenAt: number;
}

/** Blocks that the rhythm is taken from. */
const WINDOW = 8;
/** Fewer intervals than this can be regular by chance. */
const LEAST_INTERVALS = 3;
/** Blocks that come faster than this are as good as immediate. */
const SHORTEST_PERIOD = 1_000;
/** Block times are whole seconds. */
const ROUNDING_SECONDS = 1;

/** Adds the newest block, and forgets those that no longer count. */
export function withBlock(seen: readonly SeenBlock[], block: SeenBlock): readonly SeenBlock[] {
  const last = seen.at(-1);
  // After a step back, which a node behind a balancer can make, the rhythm is learnt anew.
  const before = last === undefined || block.number > last.number ? seen : [];
  return [...before, block].slice(-WINDOW);
}

/**
 * When the next block is due and when the one after it, in Unix milliseconds of the local clock; `undefined` while the
 * blocks seen do not come at regular intervals, or when the next one is so late that the rhythm is broken.
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
  // Some blocks are seen late, by polling; the one seen soonest after its time tells how soon one can be seen.
  const delay = Math.min(...seen.map(({ seenAt, time }) => seenAt - time * 1000));
  const next = last.time * 1000 + delay + period * 1000;
  return now > next + (period * 1000) / 2 ? undefined : [next, next + period * 1000];
}
