import type { Random } from "./random.ts";

/** One more turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What everything in a run shares. */
export interface Pace {
  readonly random: Random;
  /** Counts whatever happens: while it rises, work is in progress. */
  activity: number;
}

/**
 * The life of one simulated process. Whatever it does to its disk or to the network is a step; it can be killed at any
 * of them, and from then on none of its steps ever ends.
 */
export class Life {
  readonly #pace: Pace;
  readonly #onDeath: () => void;
  #stepsLeft = Number.POSITIVE_INFINITY;
  #ended = false;
  /** Set while it is halted. */
  #halt: PromiseWithResolvers<void> | undefined;

  constructor(pace: Pace, onDeath: () => void) {
    this.#pace = pace;
    this.#onDeath = onDeath;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it is to be killed some time. */
  get doomed(): boolean {
    return Number.isFinite(this.#stepsLeft);
  }

  /** Has the process killed after some more steps. */
  endAfter(steps: number): void {
    if (steps === 0) this.#die();
    else this.#stepsLeft = steps;
  }

  /** Has the process do nothing until {@link resume}. */
  pause(): void {
    this.#halt ??= Promise.withResolvers<void>();
  }

  get isHalted(): boolean {
    return this.#halt !== undefined;
  }

  resume(): void {
    this.#halt?.resolve();
    this.#halt = undefined;
  }

  async step(): Promise<void> {
    this.#pace.activity += 1;
    this.#stepsLeft -= 1;
    if (this.#stepsLeft <= 0) this.#die();
    if (this.#ended) return new Promise(() => undefined);
    // A disk or a network that takes its time lets other things happen meanwhile.
    if (this.#pace.random() < 0.3) await turn();
    while (this.#halt !== undefined) await this.#halt.promise;
    if (this.#ended) return new Promise(() => undefined);
  }

  #die(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onDeath();
  }
}
