import type { Address } from "../transaction.ts";
import type { BftBlock } from "./bft-block.ts";
import { type Pace, paceOf, type Rhythm, rhythmOf } from "./pace.ts";
import { type Participation, participationIn } from "./participation.ts";
import { quorumOf } from "./quorum.ts";

/** How a BFT network does. */
export interface BftReport {
  /** How often the validators had to try again for the newest block. */
  readonly round: number;
  /** `undefined` while too few blocks were seen. */
  readonly rhythm: Rhythm | undefined;
  readonly pace: Pace;
  readonly participation: readonly Participation[];
  /** Validators that take no part: by the blocks, or, when none come, by who is connected. */
  readonly missing: readonly Address[];
  /** How many more would have to take part for blocks to come; 0 while they come. */
  readonly quorumMissing: number;
}

/** What a node says of its connections. */
export interface Connections {
  readonly count: number;
  /** Whom it is, and is connected with, by address; `undefined` where it does not say. */
  readonly addresses: readonly Address[] | undefined;
}

/**
 * Judges a network by its newest blocks.
 * @param blocks One after the other, oldest first
 * @param age Seconds since the newest block
 */
export function bftReport(blocks: readonly BftBlock[], connections: Connections, age: number): BftReport | undefined {
  const newest = blocks.at(-1);
  if (newest === undefined) return undefined;
  const { validators, round } = newest;
  const participation = participationIn(blocks);
  const rhythm = rhythmOf(blocks);
  const pace = rhythm === undefined ? "on_time" : paceOf(rhythm, validators.length, age);
  const absent = participation.filter(({ state }) => state === "absent").map(({ validator }) => validator);
  if (pace !== "stalled") return { round, rhythm, pace, participation, missing: absent, quorumMissing: 0 };
  // The blocks tell only who took part up to the last of them.
  const { count, addresses } = connections;
  const missing = addresses === undefined ? absent : validators.filter((validator) => !addresses.includes(validator));
  const present =
    addresses === undefined
      ? Math.min(count + 1, validators.length - absent.length)
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
