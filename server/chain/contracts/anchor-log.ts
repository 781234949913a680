import { getBytes } from "ethers";
import { z } from "zod";
import type { AnchorLog } from "./anchor.ts";
import type { Address } from "../transaction.ts";
import { INTERFACES } from "./interfaces.ts";
import { readBlock } from "../node/receipts.ts";
import { askQuantity, Quantity } from "../rpc/quantity.ts";
import { type Rpc, toQuantity } from "../rpc/rpc.ts";

const Log = z.object({
  topics: z.array(z.string()),
  data: z.string(),
  blockNumber: Quantity,
  transactionHash: z.string(),
});

const { ProofAnchor } = INTERFACES;
const ANCHORED = ProofAnchor.getEvent("Anchored").topicHash;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The log of the proof anchor contract at `address`. */
export function anchorLog(rpc: Rpc, address: Address, firstBlock: number): AnchorLog {
  return {
    firstBlock,
    newestBlock: () => askQuantity(rpc, "eth_blockNumber", []),
    blockHash: async (number) => (await readBlock(rpc, number, NO_NAMES))?.hash,
    async anchors(fromBlock, toBlock) {
      const filter = { address, topics: [ANCHORED], fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
      const logs = z.array(Log).parse(await rpc.call("eth_getLogs", [filter]));
      return logs.map((log) => {
        const parsed = ProofAnchor.parseLog(log);
        return {
          hash: getBytes(String(parsed?.args.getValue("hash"))),
          size: Number(parsed?.args.getValue("size")),
          transactionHash: getBytes(log.transactionHash),
          blockNumber: log.blockNumber,
        };
      });
    },
  };
}
