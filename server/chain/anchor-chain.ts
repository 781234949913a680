import { hexlify } from "ethers";
import type { Address, AnchorChain } from "../domain/ports.ts";
import { contractCall, INTERFACES, readContract } from "./contracts.ts";
import { readReceipt, type ValidatorNames } from "./receipts.ts";
import type { Rpc } from "./rpc.ts";

const proofAnchor = INTERFACES.ProofAnchor;

/** The proof anchor contract at `address`. */
export function anchorChain(rpc: Rpc, address: Address, validatorNames: ValidatorNames): AnchorChain {
  return {
    chainId: rpc.chainId,
    contract: address,

    anchorCall: (hash) => contractCall("anchor", "ProofAnchor", proofAnchor.encodeFunctionData("anchor", [hash])),

    async anchorOf(hash) {
      const result = await readContract(rpc, address, proofAnchor.encodeFunctionData("anchorOf", [hash]));
      const [anchor] = proofAnchor.decodeFunctionResult("anchorOf", result);
      const time = Number(anchor.time);
      return time === 0 ? undefined : { time, blockNumber: Number(anchor.blockNumber), size: Number(anchor.size) };
    },

    async blockOf(transactionHash) {
      const receipt = await readReceipt(rpc, hexlify(transactionHash), validatorNames);
      return receipt?.succeeded === true ? receipt.block : undefined;
    },
  };
}
