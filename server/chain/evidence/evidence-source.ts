import { getBytes, hexlify } from "ethers";
import type { EvidenceSource } from "./anchor-evidence.ts";
import type { Address } from "../transaction.ts";
import { ProofAnchorClient } from "../contracts/proof-anchor-client.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { ConsensusReceipt } from "./receipt-encoding.ts";
import { readVerifiedBlock } from "./verified-block.ts";

/** Collects evidence for the anchors of the ProofAnchor contract at `contract`. */
export function evidenceSource(rpc: Rpc, contract: Address): EvidenceSource {
  const client = new ProofAnchorClient(rpc, contract);
  return {
    async evidenceOf(hash) {
      // Only the first anchor of a hash emitted an event.
      const first = await client.anchorOf(hash);
      if (first === undefined) return undefined;
      const { size } = first;
      const block = await readVerifiedBlock(rpc, first.blockNumber);
      const index = block?.receipts.findIndex(emitted(contract, client.eventOf({ hash, size }))) ?? -1;
      if (block === undefined || index === -1) return undefined;
      return {
        size,
        chainId: rpc.chainId,
        contract,
        index,
        transaction: await block.transaction(index),
        receipt: await block.receipt(index),
        blockHash: block.hash,
        header: block.header,
        protocol: block.protocol,
        validators: block.validators,
      };
    },
  };
}

/** Returns the check whether a transaction emitted an event of the contract. */
function emitted(
  contract: Address,
  event: ReturnType<ProofAnchorClient["eventOf"]>,
): (receipt: ConsensusReceipt) => boolean {
  return ({ logs }) =>
    logs.some(
      ({ address, topics, data }) =>
        Buffer.compare(address, getBytes(contract)) === 0 &&
        topics.length === event.topics.length &&
        topics.every((topic, place) => hexlify(topic) === event.topics[place]) &&
        hexlify(data) === event.data,
    );
}
