import type { Address } from "../transaction.ts";
import type { BftBlock } from "./bft-block.ts";
import { type Pace, paceOf, type Rhythm, rhythmOf } from "./pace.ts";
import { type Participation, participationIn } from "./participation.ts";
import { quorumOf } from "./quorum.ts";

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
export interface Connections {
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
