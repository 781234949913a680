import type { Address } from "../transaction.ts";

/** How a chain agrees on its blocks; `none` when no validators seal them. */
export type ConsensusProtocol = "ibft2" | "qbft" | "none";

/** Bytes that stand in a block's trie, and the trie's nodes that prove it. */
export interface ProvenBytes {
  readonly raw: Uint8Array;
  /** From the root down. */
  readonly proof: readonly Uint8Array[];
}

/** That a block holds an anchor, so that it can be checked with nothing but the block's hash or its validators. */
export interface AnchorEvidence {
  /** Hashes under the root that was anchored; 0 for a hash alone. */
  readonly size: number;
  readonly chainId: number;
  readonly contract: Address;
  /** Which transaction of the block, and which receipt. */
  readonly index: number;
  readonly transaction: ProvenBytes;
  readonly receipt: ProvenBytes;
  readonly blockHash: Uint8Array;
  /** The block header's RLP, with the validators' seals. */
  readonly header: Uint8Array;
  readonly protocol: ConsensusProtocol;
  /** Addresses of those who may seal the block; empty without such a protocol. */
  readonly validators: readonly Uint8Array[];
}

/** Collects evidence from the chain. */
export interface EvidenceSource {
  /**
   * What proves that a recorded hash, or a root, was anchored.
   * @returns `undefined` when the chain does not have it
   * @throws SealbookError `chain_unavailable` when the node does not answer, or what it answers does not hold together
   */
  evidenceOf(hash: Uint8Array): Promise<AnchorEvidence | undefined>;
}
