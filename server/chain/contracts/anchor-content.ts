import type { BlockReference } from "../block.ts";
import type { Address } from "../transaction.ts";

/** Content of an anchor for one or many proofs. */
export interface AnchorContent {
  /** A recorded hash alone, or the root over several. */
  readonly hash: Uint8Array;
  /** Number of hashes under the root; 0 for a hash alone. */
  readonly size: number;
}

/** The first anchor of a hash in a contract. */
export interface AnchorOnChain {
  readonly contract: Address;
  /** Block time, Unix seconds. */
  readonly time: number;
  readonly blockNumber: number;
  /** Number of hashes under the root; 0 for a hash anchored alone. */
  readonly size: number;
}

/** The transaction and block of an anchor on chain, current or superseded. */
export interface BlockInclusion {
  /** The contract that has the anchor. */
  readonly contract: Address;
  readonly transactionHash: Uint8Array;
  readonly block: BlockReference;
}

/** An anchor that the journal has just confirmed. */
export interface ConfirmedAnchor extends AnchorContent, BlockInclusion {
  readonly anchorId: number;
  /** The relayer's transaction in the journal. */
  readonly transactionId: number;
}

/** An anchor from the contract's event log. */
export interface LoggedAnchor extends AnchorContent {
  readonly contract: Address;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The contract's anchors of some hashes at one block. */
export interface AnchorInspection {
  readonly block: BlockReference;
  /** In the order of the hashes; `time` is 0 for a hash without an anchor. `response` is the contract's, `0x` hex. */
  readonly anchors: readonly (AnchorOnChain & { readonly response: string })[];
}

/** A verified block with the hash whose anchor each of its transactions confirms. */
export interface AnchoringBlock {
  readonly block: BlockReference;
  /**
   * Returns the hash whose anchor a transaction confirms; `failed` for a reverted transaction and for one that is not
   * in the block, `other` for a transaction that confirms no anchor.
   */
  given(transactionHash: Uint8Array): "failed" | "other" | Uint8Array;
}
