import type { Address } from "../transaction.ts";
import { type BftBlock, expectedProposers } from "./bft-block.ts";

/** Rounds in a row that a validator misses as proposer before it counts as silent. */
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
  /** Rounds that it missed as proposer since its last proposal. */
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

/** Counts the rounds that a validator missed as proposer since its last proposal. */
function missedBy(validator: Address, blocks: readonly BftBlock[]): number {
  let missed = 0;
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    if (block.proposer === validator) missed = 0;
    else if (before !== undefined && expectedProposers(block, before).slice(0, -1).includes(validator)) missed += 1;
  }
  return missed;
}
