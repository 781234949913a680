import { setTimeout as sleep } from "node:timers/promises";

/** Waits between attempts. */
export interface BackoffRule {
  readonly firstMilliseconds: number;
  readonly longestMilliseconds: number;
}

const DEFAULT_RULE: BackoffRule = { firstMilliseconds: 500, longestMilliseconds: 60_000 };

/** Exponential backoff: each wait is twice as long as the one before, up to a longest one. */
export class Backoff {
  readonly #rule: BackoffRule;
  #next: number;

  constructor(rule: BackoffRule = DEFAULT_RULE) {
    this.#rule = rule;
    this.#next = rule.firstMilliseconds;
  }

  /** Returns the wait before the next attempt in milliseconds, and doubles the one after it. */
  next(): number {
    const milliseconds = this.#next;
    this.#next = Math.min(2 * milliseconds, this.#rule.longestMilliseconds);
    return milliseconds;
  }

  /**
   * Waits before the next attempt; returns at once when `ended` is aborted. The wait keeps the process alive: a command
   * that only waits has not ended.
   * @param atLeastSeconds Wait that the other side requires
   */
  async wait(ended: AbortSignal, atLeastSeconds = 0): Promise<void> {
    const milliseconds = Math.max(this.next(), 1_000 * atLeastSeconds);
    await sleep(milliseconds, undefined, { signal: ended }).catch(() => undefined);
  }

  /** Makes the next wait the first one again, after an attempt that succeeded. */
  reset(): void {
    this.#next = this.#rule.firstMilliseconds;
  }
}
