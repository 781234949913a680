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
