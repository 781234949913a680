import { hexlify } from "ethers";
import type { ConsensusProtocol } from "./consensus-seals.ts";
import type { ProvenBytes } from "./merkle-trie.ts";
import type { Address } from "../transaction.ts";
import type { ProofAnchorClient } from "../contracts/proof-anchor-client.ts";
import { transactionIn } from "./verified-chain.ts";

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

/**
 * Collects the evidence that a ProofAnchor contract anchored a recorded hash, or a root.
 * @param contract Only in this contract
 * @param since The node has to have this block
 * @returns `undefined` when the chain does not have it
 * @throws SealbookError `chain_unavailable` when the node does not respond, or its responses contradict each other
 */
export async function evidenceOf(
  client: ProofAnchorClient,
  hash: Uint8Array,
  contract?: Address,
  since?: number,
): Promise<AnchorEvidence | undefined> {
  const { chain } = client;
  // Only the first anchor of a hash emitted an event.
  const first = await client.anchorOf(hash, contract, since);
  const anchored = first && (await client.inclusionOf(hash, first));
  const at = anchored && transactionIn(await chain.block(anchored.block.number), hexlify(anchored.transactionHash));
  if (first === undefined || at === undefined) return undefined;
  const { block, index } = at;
  await chain.trust([block.reference]);
  return {
    size: first.size,
    chainId: chain.rpc.chainId,
    contract: first.contract,
    index,
    transaction: block.transaction(index),
    receipt: block.receipt(index),
    blockHash: block.reference.hash,
    header: block.header,
    protocol: block.protocol,
    validators: block.validators,
  };
}
