import { hexlify } from "ethers";
import { z } from "zod";
import type { AnchorChain } from "./anchor.ts";
import type { Address } from "../transaction.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";
import { readReceipt, type ValidatorNames } from "../node/receipts.ts";
import type { Rpc } from "../rpc/rpc.ts";

const Transaction = z.object({ to: z.string().nullable(), input: z.string() });

const proofAnchor = INTERFACES.ProofAnchor;

/** The proof anchor contract at `address`. */
export function anchorChain(rpc: Rpc, address: Address, validatorNames: ValidatorNames): AnchorChain {
  return {
    anchorCall: ({ hash, size }) =>
      contractCall(
        "anchor",
        "ProofAnchor",
        size === 0
          ? proofAnchor.encodeFunctionData("anchor", [hash])
          : proofAnchor.encodeFunctionData("anchorBatch", [hash, size]),
      ),

    async anchorOf(hash) {
      const result = await readContract(rpc, address, proofAnchor.encodeFunctionData("anchorOf", [hash]));
      const [anchor] = proofAnchor.decodeFunctionResult("anchorOf", result);
      const time = Number(anchor.time);
      return time === 0 ? undefined : { time, blockNumber: Number(anchor.blockNumber), size: Number(anchor.size) };
    },

    async blockOf(transactionHash, hash) {
      const [receipt, answer] = await Promise.all([
        readReceipt(rpc, hexlify(transactionHash), validatorNames),
        rpc.call("eth_getTransactionByHash", [hexlify(transactionHash)]),
      ]);
      if (receipt?.succeeded !== true) return undefined;
      const { to, input } = Transaction.parse(answer);
      const given = proofAnchor.parseTransaction({ data: input })?.args[0];
      return to?.toLowerCase() === address.toLowerCase() && given === hexlify(hash) ? receipt.block : undefined;
    },
  };
}
