import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds since 1970: of the wall clock, which jumps when it is set, or of a steady clock. */
export type Clock = () => number;

/** Difference of clocks between processes that is normal. */
const TOLERANCE_MILLISECONDS = 60_000;

/**
 * Returns the milliseconds since a stored time; `Infinity` for a time in the future, which a clock that was wrong has
 * written: work that is due after it must not wait for it.
 */
export function millisecondsSince(time: number, now: number): number {
  return time > now + TOLERANCE_MILLISECONDS ? Infinity : now - time;
}

/** Returns a clock, of whole milliseconds, that begins at the time of another one and never jumps: for durations. */
export function steadyClock(clock: Clock): Clock {
  const beginning = clock() - performance.now();
  return () => Math.floor(beginning + performance.now());
}

/**
 * Measures how far a wall clock was set since the start. The time since the start of the machine is the reference: it
 * goes on while the machine is suspended.
 */
export class ClockStep {
  readonly #clock: Clock;
  readonly #beginning: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beginning = clock() - uptime() * 1000;
  }

  /** Milliseconds; positive when the clock was set forward. */
  milliseconds(): number {
    return this.#clock() - uptime() * 1000 - this.#beginning;
  }
}

/**
 * Waits for a result until a deadline; a later result is dropped.
 * @param expired Creates the error of the deadline
 */
export async function within<T>(milliseconds: number, result: Promise<T>, expired: () => Error): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(expired()), milliseconds);
  try {
    return await Promise.race([result, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Polls until `probe` returns a value.
 * @returns the value; `undefined` after the timeout
 * @throws whatever `probe` throws
 */
export async function waitFor<T>(
  probe: () => Promise<T | undefined>,
  options: { readonly intervalMilliseconds: number; readonly timeoutMilliseconds: number },
): Promise<T | undefined> {
  for (const deadline = performance.now() + options.timeoutMilliseconds; performance.now() < deadline;) {
    const value = await probe();
    if (value !== undefined) return value;
    await sleep(options.intervalMilliseconds);
  }
  return undefined;
}

/** Work that repeats until it is stopped. */
export interface Interval {
  /** Starts no further run, and returns when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at an interval, never twice at the same time: while a run lasts, ticks are skipped.
 * @param work Handles its own errors; a rejection counts as a programming error
 * @param options.unref Whether the process may end while the interval is active
 */
export function every(
  milliseconds: number,
  work: () => void | Promise<void>,
  { unref = false }: { readonly unref?: boolean } = {},
): Interval {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= Promise.resolve(work()).finally(() => {
      running = undefined;
    });
  }, milliseconds);
  if (unref) timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
