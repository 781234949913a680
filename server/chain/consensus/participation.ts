import type { Address } from "../transaction.ts";
import type { BftBlock } from "./bft-block.ts";

/** Turns in a row that a validator misses as proposer before it counts as silent. */
const MAX_MISSED_PROPOSALS = 2;

/**
 * The state of a validator:
 * - `active`: it proposes in its rounds, or had none yet
 * - `silent`: it signs commit seals and proposes no blocks
 * - `missing`: it does neither
 */
export type ValidatorState = "active" | "silent" | "missing";

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
