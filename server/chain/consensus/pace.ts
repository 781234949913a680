import type { BftBlock } from "./bft-block.ts";
import { mostFaulty } from "./quorum.ts";

/** Block times are whole seconds, and a block takes a moment to arrive. */
const TOLERANCE_SECONDS = 2;
/** The longest wait for a later round, however many validators may be missing. */
const LONGEST_WAIT_SECONDS = 600;
/** The request timeout in block periods, where it is not known. */
const PRESUMED_TIMEOUT_PERIODS = 2;

/** The block period and the wait for a proposer. Both in seconds. */
export interface Rhythm {
  readonly blockPeriod: number;
  /** The wait for the first proposer; it doubles with each round. */
  readonly requestTimeout: number;
}

/**
 * The progress of a chain:
 * - `on_time`: the newest is no older than the network's period
 * - `slow`: proposers are missing, and the wait for others explains it
 * - `stalled`: more validators are missing than a network goes on without
 */
export type Pace = "on_time" | "slow" | "stalled";

/**
 * Returns the rhythm of consecutive blocks, oldest first. The period is the mean of those of round 0.
 * @param requestTimeout The network's timeout in seconds, where it is known
 * @returns `undefined` while there are too few
 */
export function rhythmOf(blocks: readonly BftBlock[], requestTimeout?: number): Rhythm | undefined {
  const periods = blocks
    .slice(1)
    .flatMap(({ time, round }, index) => (round === 0 ? time - (blocks[index]?.time ?? time) : []));
  const median = [...periods].sort((a, b) => a - b)[Math.floor(periods.length / 2)];
  if (median === undefined) return undefined;
  // Without the pause of a restarted network.
  const usual = periods.filter((period) => period <= 2 * median + TOLERANCE_SECONDS);
  const blockPeriod = usual.reduce((sum, period) => sum + period, 0) / usual.length;
  return { blockPeriod, requestTimeout: requestTimeout ?? PRESUMED_TIMEOUT_PERIODS * blockPeriod };
}

/** Returns the age above which not even the most tolerable missing proposers explain a block's delay. */
export function stalledAfter({ blockPeriod, requestTimeout }: Rhythm, validators: number): number {
  const rounds = requestTimeout * (2 ** mostFaulty(validators) - 1);
  return Math.min(blockPeriod + rounds, LONGEST_WAIT_SECONDS) + TOLERANCE_SECONDS;
}

/** @param age Seconds since the newest block */
export function paceOf(rhythm: Rhythm, validators: number, age: number): Pace {
  if (age <= rhythm.blockPeriod + TOLERANCE_SECONDS) return "on_time";
  return age <= stalledAfter(rhythm, validators) ? "slow" : "stalled";
}
