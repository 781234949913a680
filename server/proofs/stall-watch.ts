import type { BlockHead } from "../chain/block.ts";
import { type SeenBlock, withBlock } from "./batch-schedule.ts";

/** Block periods without a block after which the chain stalls. */
const PERIODS = 3;
/** Block times are whole seconds: blocks of one second have no period. */
const SHORTEST_PERIOD_MILLISECONDS = 1_000;

interface StallWatchDeps {
  /** Never jumps. */
  readonly clock: () => number;
  /** Since when the node has had a transaction of ours that is in no block, by the clock; `undefined` without one. */
  readonly waitingSince: () => number | undefined;
}

/**
 * Tells whether the chain stalls: the node has had a transaction of ours for three block periods, and no block has come
 * meanwhile. The age of the newest block alone says nothing: chains that make blocks on demand are idle by design.
 */
export class StallWatch {
  readonly #deps: StallWatchDeps;
  #seen: readonly SeenBlock[] = [];

  constructor(deps: StallWatchDeps) {
    this.#deps = deps;
  }

  onHead(head: BlockHead): void {
    this.#seen = withBlock(this.#seen, { ...head, seenAt: this.#deps.clock() });
  }

  isStalled(): boolean {
    const since = this.#deps.waitingSince();
    const newest = this.#seen.at(-1);
    const period = usualPeriod(this.#seen);
    if (since === undefined || newest === undefined || period === undefined) return false;
    return this.#deps.clock() - Math.max(since, newest.seenAt) > PERIODS * period;
  }
}

/** Returns the median of the periods of the newest blocks in milliseconds; `undefined` with one block only. */
function usualPeriod(seen: readonly SeenBlock[]): number | undefined {
  const periods = seen
    .slice(1)
    .map(({ number, time }, index) => {
      const before = seen[index] ?? { number, time };
      return ((time - before.time) * 1000) / Math.max(1, number - before.number);
    })
    .sort((a, b) => a - b);
  const median = periods[Math.floor(periods.length / 2)];
  return median === undefined ? undefined : Math.max(SHORTEST_PERIOD_MILLISECONDS, median);
}
