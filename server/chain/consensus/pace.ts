import type { BftBlock } from "./bft-block.ts";
import { mostFaulty } from "./quorum.ts";

/** Block times are whole seconds, and a block takes a moment to arrive. */
const TOLERANCE_SECONDS = 2;
/** The longest wait for a later round, however many validators may be missing. */
const LONGEST_WAIT_SECONDS = 600;
/** The request timeout in block periods, until a block shows it. */
const PRESUMED_TIMEOUT_PERIODS = 2;
/**
 * The longest request timeout that blocks can show: the greater of both. After a restart of the network a block of a
 * low round follows a long pause, which its rounds do not explain.
 */
const PLAUSIBLE_TIMEOUT_SECONDS = 30;
const PLAUSIBLE_TIMEOUT_PERIODS = 8;

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
 * Derives the rhythm from consecutive blocks, oldest first: the period from blocks of round 0, the timeout from blocks
 * with round changes.
 * @param requestTimeout The network's timeout in seconds, where it is known
 * @returns `undefined` while there are too few
 */
export function rhythmOf(blocks: readonly BftBlock[], requestTimeout?: number): Rhythm | undefined {
  const intervals = blocks
    .slice(1)
    .map(({ time, round }, index) => ({ seconds: time - (blocks[index]?.time ?? time), round }));
  const blockPeriod = typical(intervals.filter(({ round }) => round === 0).map(({ seconds }) => seconds));
  if (blockPeriod === undefined) return undefined;
  if (requestTimeout !== undefined) return { blockPeriod, requestTimeout };
  const longest = Math.max(PLAUSIBLE_TIMEOUT_SECONDS, PLAUSIBLE_TIMEOUT_PERIODS * blockPeriod);
  const learned = typical(
    intervals
      .filter(({ round }) => round > 0)
      .map(({ seconds, round }) => (seconds - blockPeriod) / (2 ** round - 1))
      .filter((seconds) => seconds <= longest),
  );
  return { blockPeriod, requestTimeout: Math.max(blockPeriod, learned ?? PRESUMED_TIMEOUT_PERIODS * blockPeriod) };
}

/** Returns the mean of the usual values: without the pause of a restarted network. */
function typical(values: readonly number[]): number | undefined {
  const median = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  if (median === undefined) return undefined;
  const usual = values.filter((value) => value <= 2 * median + TOLERANCE_SECONDS);
  return usual.reduce((sum, value) => sum + value, 0) / usual.length;
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
