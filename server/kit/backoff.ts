import { setTimeout as sleep } from "node:timers/promises";

const FIRST_MILLISECONDS = 500;
const LAST_MILLISECONDS = 60_000;

/** Waits ever longer between attempts, until it is ended. */
export class Patience {
  readonly #ended: AbortSignal;
  #milliseconds = FIRST_MILLISECONDS;

  constructor(ended: AbortSignal) {
    this.#ended = ended;
  }

  /** @param atLeastSeconds What was asked for */
  async wait(atLeastSeconds = 0): Promise<void> {
    const milliseconds = Math.max(this.#milliseconds, 1000 * atLeastSeconds);
    this.#milliseconds = Math.min(2 * this.#milliseconds, LAST_MILLISECONDS);
    await sleep(milliseconds, undefined, { signal: this.#ended, ref: false }).catch(() => undefined);
  }

  /** All is well: the next wait is short again. */
  reset(): void {
    this.#milliseconds = FIRST_MILLISECONDS;
  }
}
