import type { BlockHead } from "../chain/block.ts";
import type { ChainEvents } from "../chain/events.ts";
import { type Clock, ClockStep, every, type Interval } from "../kit/time.ts";

const INTERVAL_MILLISECONDS = 1_000;

export interface ClockMonitorDeps {
  readonly clock: Clock;
  /** Returns the newest block; `undefined` before the first one. */
  readonly head: () => BlockHead | undefined;
  /** Whether the blocks have the time of this machine. */
  readonly isEmbedded: boolean;
  readonly limitMilliseconds: number;
  readonly telemetry: Pick<ChainEvents, "clockSkewed" | "clockRight">;
}

/** Checks regularly whether the clock of this machine and the times of the blocks agree. */
export class ClockMonitor {
  readonly #deps: ClockMonitorDeps;
  readonly #step: ClockStep;
  #interval: Interval | undefined;

  constructor(deps: ClockMonitorDeps) {
    this.#deps = deps;
    this.#step = new ClockStep(deps.clock);
  }

  start(): void {
    this.#check();
    this.#interval = every(INTERVAL_MILLISECONDS, () => this.#check());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  /** Returns the seconds by which the newest block is ahead of the clock; 0 when it is not, `null` before the first. */
  blockAhead(): number | null {
    const head = this.#deps.head();
    return head === undefined ? null : Math.max(0, head.time - Math.floor(this.#deps.clock() / 1000));
  }

  /** Returns what is wrong with the clock or the blocks; `undefined` when they agree. */
  fault(): string | undefined {
    const { isEmbedded, limitMilliseconds } = this.#deps;
    const forward = this.#step.milliseconds();
    if (isEmbedded && forward > limitMilliseconds) {
      return (
        `the clock of this machine was set ${duration(forward / 1000)} forward; the embedded chain makes no blocks ` +
        "until it is set back, or until the server restarts when the new time is right"
      );
    }
    const ahead = this.blockAhead() ?? 0;
    if (ahead * 1000 <= limitMilliseconds) return undefined;
    // The status has the seconds: they would be another text with each check.
    const least = duration(limitMilliseconds / 1000);
    return `the newest block is more than ${least} ahead of the clock of this machine; check the clocks of both`;
  }

  #check(): void {
    const fault = this.fault();
    if (fault === undefined) this.#deps.telemetry.clockRight();
    else this.#deps.telemetry.clockSkewed(fault);
  }
}

function duration(seconds: number): string {
  return seconds < 2 * 86_400 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 86_400)} days`;
}
