import type { Address } from "../transaction.ts";

/** The consensus protocol of a chain; `none` for blocks without commit seals. */
export type ConsensusProtocol = "ibft2" | "qbft" | "none";

/** Bytes in a block's trie with the trie's nodes that prove them. */
export interface ProvenBytes {
  readonly raw: Uint8Array;
  /** From the root down. */
  readonly proof: readonly Uint8Array[];
}

/** Evidence that a block holds an anchor; a check needs only the block's hash or its validators. */
export interface AnchorEvidence {
  /** Hashes under the root that was anchored; 0 for a hash alone. */
  readonly size: number;
  readonly chainId: number;
  readonly contract: Address;
  /** Index of the transaction and its receipt in the block. */
  readonly index: number;
  readonly transaction: ProvenBytes;
  readonly receipt: ProvenBytes;
  readonly blockHash: Uint8Array;
  /** The block header's RLP, with the commit seals. */
  readonly header: Uint8Array;
  readonly protocol: ConsensusProtocol;
  /** Addresses of the block's validators; empty without such a protocol. */
  readonly validators: readonly Uint8Array[];
}

/** Collects evidence from the chain. */
export interface EvidenceSource {
  /**
   * Collects the evidence that a recorded hash, or a root, was anchored.
   * @param contract Only in this contract
   * @returns `undefined` when the chain does not have it
   * @throws SealbookError `chain_unavailable` when the node does not respond, or its responses contradict each other
   */
  evidenceOf(hash: Uint8Array, contract?: Address): Promise<AnchorEvidence | undefined>;
}
