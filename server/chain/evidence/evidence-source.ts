import { hexlify } from "ethers";
import type { ProofAnchorClient } from "../contracts/proof-anchor-client.ts";
import type { EvidenceSource } from "./anchor-evidence.ts";
import { transactionIn } from "./verified-chain.ts";

/** Collects evidence for the anchors of a ProofAnchor contract. */
export function evidenceSource(client: ProofAnchorClient): EvidenceSource {
  const { chain } = client;
  return {
    async evidenceOf(hash, contract) {
      // Only the first anchor of a hash emitted an event.
      const first = await client.anchorOf(hash, contract);
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
    },
  };
}
