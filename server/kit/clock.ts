import { uptime } from "node:os";

/** Wall clock in milliseconds since 1970. It jumps when it is set. */
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
