import type { Address } from "../transaction.ts";
import { type BftBlock, expectedProposers } from "./bft-block.ts";

/** Turns in a row that a validator has to miss before it counts as one that does not propose. */
const MISSED_TURNS = 2;

/**
 * What a validator does:
 * - `active`: it proposes when its turn comes, or its turn has not come yet
 * - `silent`: it seals the blocks of others and proposes none
 * - `absent`: it does neither
 */
export type ValidatorState = "active" | "silent" | "absent";

/** What a validator did in the blocks that were looked at. */
export interface Participation {
  readonly validator: Address;
  readonly state: ValidatorState;
  readonly proposed: number;
  /** Number of the block; `undefined` when none of those looked at is its own. */
  readonly lastProposed: number | undefined;
  readonly lastSealed: number | undefined;
  /** Turns since its last proposal that it let pass. */
  readonly missedTurns: number;
}

/**
 * What the validators of the newest block did in a run of blocks. A header names the quorum that sealed the block, not
 * everybody who would have: one seal that lacks says nothing, none in as many blocks as there are validators does.
 * @param blocks One after the other, oldest first
 */
export function participationIn(blocks: readonly BftBlock[]): readonly Participation[] {
  const validators = blocks.at(-1)?.validators ?? [];
  return validators.map((validator) => {
    const proposals = blocks.filter(({ proposer }) => proposer === validator);
    const lastProposed = proposals.at(-1)?.number;
    const lastSealed = blocks.findLast(({ signers: sealers }) => sealers.includes(validator))?.number;
    const missedTurns = missedBy(validator, blocks);
    const sealsLately = blocks.slice(-validators.length).some(({ signers: sealers }) => sealers.includes(validator));
    const state = missedTurns > 0 && !sealsLately ? "absent" : missedTurns >= MISSED_TURNS ? "silent" : "active";
    return { validator, state, proposed: proposals.length, lastProposed, lastSealed, missedTurns };
  });
}

/** Turns that a validator let pass since it last proposed. */
function missedBy(validator: Address, blocks: readonly BftBlock[]): number {
  let missed = 0;
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    if (block.proposer === validator) missed = 0;
    else if (before !== undefined && expectedProposers(block, before).slice(0, -1).includes(validator)) missed += 1;
  }
  return missed;
}
