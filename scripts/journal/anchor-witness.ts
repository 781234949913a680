import { setTimeout as sleep } from "node:timers/promises";
import { getBytes, hexlify } from "ethers";
import { z } from "zod";
import type { AnchoringBlock, AnchorWitness } from "./confirmation-check.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { anchorChain } from "../../server/chain/contracts/anchor-chain.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { readBlock, readBlockReceipts } from "../../server/chain/node/receipts.ts";
import { type Rpc, toQuantity } from "../../server/chain/rpc/rpc.ts";

const Block = z.object({
  hash: z.string(),
  transactions: z.array(z.object({ hash: z.string(), to: z.string().nullable(), input: z.string() })),
});

/** Before a question is asked again that was not answered: a check of hours does not end for one of them. */
const PAUSES_MILLISECONDS = [50, 250, 1_000];

/** Asks a node about the anchors of the contract at `address`; of a block all is asked at once. */
export function anchorWitness(rpc: Rpc, address: Address): AnchorWitness {
  const once = singleWitness(rpc, address);
  return {
    anchorOf: (hash) => patiently(() => once.anchorOf(hash)),
    blockAt: (number) => patiently(() => once.blockAt(number)),
  };
}

function singleWitness(rpc: Rpc, address: Address): AnchorWitness {
  const { anchorOf } = anchorChain(rpc, address, new Map());
  return {
    anchorOf,

    async blockAt(number): Promise<AnchoringBlock | undefined> {
      const [receipts, answer] = await Promise.all([
        readBlockReceipts(rpc, number, new Map()),
        rpc.call("eth_getBlockByNumber", [toQuantity(number), true]),
      ]);
      if (receipts === undefined || answer === null) return undefined;
      const block = receipts[0]?.block ?? (await readBlock(rpc, number, new Map()));
      if (block === undefined) return undefined;
      const { hash, transactions } = Block.parse(answer);
      // It was replaced between the questions, or the node contradicts itself.
      if (hexlify(block.hash) !== hash.toLowerCase()) return undefined;
      const succeeded = new Set(
        receipts.flatMap((receipt) => (receipt.succeeded ? [receipt.transactionHash.toLowerCase()] : [])),
      );
      return {
        block,
        given(transactionHash) {
          const wanted = hexlify(transactionHash);
          const transaction = transactions.find((each) => each.hash.toLowerCase() === wanted);
          if (transaction === undefined || !succeeded.has(wanted)) return "failed";
          if (transaction.to?.toLowerCase() !== address.toLowerCase()) return "other";
          const given: unknown = INTERFACES.ProofAnchor.parseTransaction({ data: transaction.input })?.args[0];
          return typeof given === "string" ? getBytes(given) : "other";
        },
      };
    },
  };
}

async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      return await ask();
    } catch {
      await sleep(pause);
    }
  }
  return ask();
}
