import type { Address } from "../transaction.ts";
import { mostFaulty, quorumOf } from "../evidence/consensus-seals.ts";

/** The consensus facts in the header of a BFT block. Addresses are lower-case. */
export interface BftBlock {
  readonly number: number;
  /** Block time, Unix seconds. */
  readonly time: number;
  /** Number of round changes. */
  readonly round: number;
  readonly proposer: Address;
  /** Sorted by address. */
  readonly validators: readonly Address[];
  /** Signers of the commit seals: at least the quorum, not always all active validators. */
  readonly signers: readonly Address[];
}

/** Block times are whole seconds, and a block takes a moment to arrive. */
const TOLERANCE_SECONDS = 2;
/** The longest wait for a later round, however many validators may be missing. */
const LONGEST_WAIT_SECONDS = 600;
/** The request timeout in block periods, where it is not known. */
const PRESUMED_TIMEOUT_PERIODS = 2;

/** The block period and the wait for a proposer. Both in seconds. */
interface Rhythm {
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
type Pace = "on_time" | "slow" | "stalled";

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

/** Turns in a row that a validator misses as proposer before it counts as silent. */
const MAX_MISSED_PROPOSALS = 2;

/**
 * The state of a validator:
 * - `active`: it proposes in its rounds, or had none yet
 * - `silent`: it signs commit seals and proposes no blocks
 * - `missing`: it does neither
 */
type ValidatorState = "active" | "silent" | "missing";

/** A validator's part in the blocks of the history. */
export interface Participation {
  readonly validator: Address;
  readonly state: ValidatorState;
  readonly proposed: number;
  /** Number of the block; `undefined` without one in the history. */
  readonly lastProposed: number | undefined;
  readonly lastCommitSeal: number | undefined;
  /** Turns that it missed as proposer since its last proposal. */
  readonly missedProposals: number;
}

/**
 * Reports each validator's part in consecutive blocks. A header holds the commit seals of a quorum, not of everyone:
 * one missing seal means nothing, no seal in as many blocks as there are validators does.
 * @param blocks Consecutive, oldest first
 */
export function participationIn(blocks: readonly BftBlock[]): readonly Participation[] {
  const validators = blocks.at(-1)?.validators ?? [];
  return validators.map((validator) => {
    const proposals = blocks.filter(({ proposer }) => proposer === validator);
    const lastProposed = proposals.at(-1)?.number;
    const lastCommitSeal = blocks.findLast(({ signers }) => signers.includes(validator))?.number;
    const missedProposals = missedBy(validator, blocks);
    const signsLately = blocks.slice(-validators.length).some(({ signers }) => signers.includes(validator));
    const state =
      missedProposals > 0 && !signsLately ? "missing" : missedProposals >= MAX_MISSED_PROPOSALS ? "silent" : "active";
    return { validator, state, proposed: proposals.length, lastProposed, lastCommitSeal, missedProposals };
  });
}

/**
 * Counts the turns that a validator missed as proposer since its last proposal, or since it is a validator: the
 * proposers take turns, so that each has one in as many blocks as there are validators.
 */
function missedBy(validator: Address, blocks: readonly BftBlock[]): number {
  const since = blocks.findLastIndex(
    ({ proposer, validators }) => proposer === validator || !validators.includes(validator),
  );
  return Math.floor((blocks.length - 1 - since) / (blocks.at(-1)?.validators.length ?? 1));
}

/** The state of a BFT network. */
export interface BftReport {
  /** Round changes of the newest block. */
  readonly round: number;
  /** `undefined` while too few blocks are known. */
  readonly rhythm: Rhythm | undefined;
  readonly pace: Pace;
  readonly participation: readonly Participation[];
  /** Missing validators: by the blocks, or by the connections when no blocks come. */
  readonly missing: readonly Address[];
  /** Number of validators that the quorum lacks; 0 while blocks come. */
  readonly quorumMissing: number;
}

/** The connections of a node. */
interface Connections {
  readonly count: number;
  /** Addresses of the node and its peers; `undefined` for a node that does not return them. */
  readonly addresses: readonly Address[] | undefined;
}

/**
 * Reports the state of a network from its newest blocks.
 * @param blocks Consecutive, oldest first
 * @param age Seconds since the newest block
 * @param requestTimeout The network's request timeout in seconds, where it is known
 */
export function bftReport(
  blocks: readonly BftBlock[],
  connections: Connections,
  age: number,
  requestTimeout?: number,
): BftReport | undefined {
  const newest = blocks.at(-1);
  if (newest === undefined) return undefined;
  const { validators, round } = newest;
  const participation = participationIn(blocks);
  const rhythm = rhythmOf(blocks, requestTimeout);
  const pace = rhythm === undefined ? "on_time" : paceOf(rhythm, validators.length, age);
  const inactive = participation.filter(({ state }) => state === "missing").map(({ validator }) => validator);
  if (pace !== "stalled") return { round, rhythm, pace, participation, missing: inactive, quorumMissing: 0 };
  // The blocks show only who took part up to the newest one.
  const { count, addresses } = connections;
  const missing = addresses === undefined ? inactive : validators.filter((validator) => !addresses.includes(validator));
  const present =
    addresses === undefined
      ? Math.min(count + 1, validators.length - inactive.length)
      : validators.length - missing.length;
  return {
    round,
    rhythm,
    pace,
    participation,
    missing,
    quorumMissing: Math.max(0, quorumOf(validators.length) - present),
  };
}
