import { getBytes, hexlify } from "ethers";
import type { EvidenceSource } from "./anchor-evidence.ts";
import type { AnchorContent } from "../contracts/anchor.ts";
import type { Address } from "../transaction.ts";
import { anchorChain } from "../contracts/anchor-chain.ts";
import { INTERFACES } from "../contracts/interfaces.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { ConsensusReceipt } from "./receipt-encoding.ts";
import { readSealedBlock } from "./sealed-block.ts";

/** Collects what proves the anchors of the proof anchor contract at `contract`. */
export function evidenceSource(rpc: Rpc, contract: Address): EvidenceSource {
  const chain = anchorChain(rpc, contract, new Map());
  return {
    async evidenceOf(hash) {
      // The first anchor of a hash stands, and only it left an event.
      const first = await chain.anchorOf(hash);
      if (first === undefined) return undefined;
      const { size } = first;
      const block = await readSealedBlock(rpc, first.blockNumber);
      const index = block?.receipts.findIndex(saysAnchored(contract, { hash, size })) ?? -1;
      if (block === undefined || index === -1) return undefined;
      return {
        size,
        chainId: rpc.chainId,
        contract,
        index,
        transaction: block.transaction(index),
        receipt: block.receipt(index),
        blockHash: block.hash,
        header: block.header,
        protocol: block.protocol,
        validators: block.validators,
      };
    },
  };
}

/** Whether the contract said in a transaction that it anchored this. */
function saysAnchored(contract: Address, { hash, size }: AnchorContent): (receipt: ConsensusReceipt) => boolean {
  const event = INTERFACES.ProofAnchor.encodeEventLog("Anchored", [hash, size]);
  return ({ logs }) =>
    logs.some(
      ({ address, topics, data }) =>
        Buffer.compare(address, getBytes(contract)) === 0 &&
        topics.length === event.topics.length &&
        topics.every((topic, place) => hexlify(topic) === event.topics[place]) &&
        hexlify(data) === event.data,
    );
}
