import type { Address } from "../transaction.ts";

/** How the validators of a BFT network came to agree on a block, as its header says. Addresses are lower-case. */
export interface BftBlock {
  readonly number: number;
  /** Block time, Unix seconds. */
  readonly time: number;
  /** How often they had to try again before they agreed. */
  readonly round: number;
  readonly proposer: Address;
  /** In the order of their addresses. */
  readonly validators: readonly Address[];
  /** Those whose seals are in the header: at least the quorum, not always all who take part. */
  readonly signers: readonly Address[];
}

/**
 * Whose turn it was to propose a block, round by round: the validator behind the proposer of the block before, then the
 * one behind that.
 * @returns one for each round up to the block's own, of which the last proposed it
 */
export function expectedProposers(block: BftBlock, before: BftBlock): readonly Address[] {
  const { validators, round } = block;
  if (validators.length === 0) return [];
  const place = validators.indexOf(before.proposer);
  // The proposer before is no validator any more: it goes on with the one that would stand behind it.
  const behind = place === -1 ? validators.findIndex((each) => each > before.proposer) : place + 1;
  const first = behind === -1 ? 0 : behind;
  const rounds = Math.min(round, 2 * validators.length);
  return Array.from(
    { length: rounds + 1 },
    (_, index) => validators[(first + round - rounds + index) % validators.length] ?? block.proposer,
  );
}
