import type { Address } from "../transaction.ts";

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

/**
 * Returns the expected proposer of each round of a block: the validator after the proposer of the block before, then
 * the next ones in order.
 * @returns one for each round up to the block's own; the last one proposed it
 */
export function expectedProposers(block: BftBlock, before: BftBlock): readonly Address[] {
  const { validators, round } = block;
  if (validators.length === 0) return [];
  const index = validators.indexOf(before.proposer);
  // The former proposer may have been removed: its successor in the order comes next.
  const next = index === -1 ? validators.findIndex((each) => each > before.proposer) : index + 1;
  const first = next === -1 ? 0 : next;
  const rounds = Math.min(round, 2 * validators.length);
  return Array.from(
    { length: rounds + 1 },
    (_, offset) => validators[(first + round - rounds + offset) % validators.length] ?? block.proposer,
  );
}
