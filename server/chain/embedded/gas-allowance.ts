/** Gas that may be used over time: so much at once, and as much again in each period. */
export class GasAllowance {
  readonly #gas: number;
  readonly #milliseconds: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** @param now Milliseconds of a clock that only runs forward */
  constructor(gas: number, milliseconds: number, now: () => number) {
    this.#gas = gas;
    this.#milliseconds = milliseconds;
    this.#now = now;
    this.#left = gas;
    this.#at = now();
  }

  /**
   * Takes gas. More than all of it is taken when all is left; the next ones wait for longer then.
   * @returns 0 when it was taken; otherwise milliseconds after which it can be
   */
  take(gas: number): number {
    const now = this.#now();
    const gained = ((now - this.#at) * this.#gas) / this.#milliseconds;
    this.#left = Math.min(this.#gas, this.#left + gained);
    this.#at = now;
    const missing = Math.min(gas, this.#gas) - this.#left;
    if (missing > 0) return Math.ceil((missing * this.#milliseconds) / this.#gas);
    this.#left -= gas;
    return 0;
  }

  /** Gives gas back that was not used. */
  give(gas: number): void {
    this.#left += gas;
  }
}
