import type { BlockReference } from "../block.ts";

/** What goes on chain for one or many proofs. */
export interface AnchorContent {
  /** A recorded hash alone, or the root over several. */
  readonly hash: Uint8Array;
  /** Hashes under the root; 0 for a hash alone. */
  readonly size: number;
}

/** When the chain first saw a hash. */
export interface AnchorOnChain {
  /** Block time, Unix seconds. */
  readonly time: number;
  readonly blockNumber: number;
  /** Hashes under the root; 0 for a hash anchored alone. */
  readonly size: number;
}

/** An anchor from the contract's event log. */
export interface LoggedAnchor extends AnchorContent {
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The contract's anchors of some hashes at one block. */
export interface AnchorInspection {
  readonly block: BlockReference;
  /** In the order of the hashes; `time` is 0 for a hash without an anchor. `response` is the contract's, `0x` hex. */
  readonly anchors: readonly (AnchorOnChain & { readonly response: string })[];
}

/** A block with the hash that each of its transactions gave to the contract. */
export interface AnchoringBlock {
  readonly block: BlockReference;
  /**
   * The hash that a transaction gave to the contract; `failed` for a reverted transaction and for one that is not in
   * the block, `other` for a transaction without a call of the contract.
   */
  given(transactionHash: Uint8Array): "failed" | "other" | Uint8Array;
}
