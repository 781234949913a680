import type { BlockReference } from "../block.ts";
import type { ContractCall } from "../transaction.ts";

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

/** Anchors of the proof contract. */
export interface AnchorChain {
  /** Puts a hash alone on chain, or the root over `size` hashes. */
  anchorCall(content: AnchorContent): ContractCall;
  anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined>;
  /** The block that holds a transaction in which the contract was given a hash; `undefined` when none does. */
  blockOf(transactionHash: Uint8Array, hash: Uint8Array): Promise<BlockReference | undefined>;
}

/** An anchor as the chain's log has it. */
export interface LoggedAnchor extends AnchorContent {
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The chain's log of anchors. */
export interface AnchorLog {
  /** The block in which the contract was deployed, or one before it. */
  readonly firstBlock: number;
  newestBlock(): Promise<number>;
  blockHash(number: number): Promise<Uint8Array | undefined>;
  anchors(fromBlock: number, toBlock: number): Promise<LoggedAnchor[]>;
}
