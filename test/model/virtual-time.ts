import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";

/** When every run begins, in Unix milliseconds. */
export const BEGINNING = Date.UTC(2030, 0, 1);

interface Timer {
  readonly run: () => void;
  /** Set for those that come again. */
  readonly every: number | undefined;
  at: number;
}

/**
 * Takes the place of the process's clocks and timers until it is disposed of, so that a run passes through minutes in
 * an instant, and the same way each time. Only `setImmediate` stays what it is: what it defers happens without waiting.
 */
export class VirtualTime {
  #now = BEGINNING;
  #ended = false;
  readonly #timers = new Set<Timer>();
  readonly #real = {
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    dateNow: Date.now,
    sleep: timersPromises.setTimeout,
  };

  constructor() {
    const set =
      (every: boolean) =>
      (run: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
        this.#set(() => run(...values), Math.max(1, milliseconds), every);
    const clear = (timer: unknown): void => void this.#timers.delete(timer as Timer);
    const sleep = (milliseconds = 1, value?: unknown) =>
      new Promise((resolve) => set(false)(resolve, milliseconds, value));
    Object.assign(globalThis, {
      setTimeout: set(false),
      setInterval: set(true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Date.now = () => this.#now;
    Object.defineProperty(performance, "now", { value: () => this.#now - BEGINNING, configurable: true });
    Object.assign(timersPromises, { setTimeout: sleep });
    syncBuiltinESMExports();
  }

  get now(): number {
    return this.#now;
  }

  /** Runs due timers; after each, `untilIdle` waits for the work that it caused. */
  async advance(milliseconds: number, untilIdle: () => Promise<void>): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await untilIdle();
      const next = this.#next(end);
      if (next === undefined) break;
      this.#now = next.at;
      if (next.every === undefined) this.#timers.delete(next);
      else next.at += next.every;
      next.run();
    }
    this.#now = end;
  }

  [Symbol.dispose](): void {
    const { dateNow, sleep, ...timers } = this.#real;
    this.#ended = true;
    this.#timers.clear();
    Object.assign(globalThis, timers);
    Date.now = dateNow;
    Reflect.deleteProperty(performance, "now");
    Object.assign(timersPromises, { setTimeout: sleep });
    syncBuiltinESMExports();
  }

  #set(run: () => void, milliseconds: number, every: boolean): unknown {
    const timer = {
      run,
      every: every ? milliseconds : undefined,
      at: this.#now + milliseconds,
      ref: () => timer,
      unref: () => timer,
    };
    // What outlives a run must not fire in the next one.
    if (!this.#ended) this.#timers.add(timer);
    return timer;
  }

  /** The earliest; of those that are due together, the one that was set first. */
  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }
}
