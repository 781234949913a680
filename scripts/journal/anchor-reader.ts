import { setTimeout as sleep } from "node:timers/promises";
import { getBytes, hexlify } from "ethers";
import { z } from "zod";
import type { AnchorOnChain } from "../../server/chain/contracts/anchor.ts";
import type { AnchoringBlock } from "../../server/journal/integrity/anchor-on-chain.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { anchorChain } from "../../server/chain/contracts/anchor-chain.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { readBlock, readBlockReceipts } from "../../server/chain/node/receipts.ts";
import { type Rpc, toQuantity } from "../../server/chain/rpc/rpc.ts";

const Block = z.object({
  hash: z.string(),
  transactions: z.array(z.object({ hash: z.string(), to: z.string().nullable(), input: z.string() })),
});

/** Waits before a failed request is sent again: one failure does not end a check of hours. */
const RETRY_MILLISECONDS = [50, 250, 1_000];

/** What the chain has of anchors. Every result is of the chain as it is now. */
export interface AnchorReader {
  anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined>;
  /** `undefined` when the chain has no such block. */
  blockAt(number: number): Promise<AnchoringBlock | undefined>;
}

/** Reads the anchors of the contract at `address` from a node; a whole block at once. */
export function anchorReader(rpc: Rpc, address: Address): AnchorReader {
  const once = readOnce(rpc, address);
  return {
    anchorOf: (hash) => withRetries(() => once.anchorOf(hash)),
    blockAt: (number) => withRetries(() => once.blockAt(number)),
  };
}

function readOnce(rpc: Rpc, address: Address): AnchorReader {
  const { anchorOf } = anchorChain(rpc, address, new Map());
  return {
    anchorOf,

    async blockAt(number): Promise<AnchoringBlock | undefined> {
      const [receipts, response] = await Promise.all([
        readBlockReceipts(rpc, number, new Map()),
        rpc.call("eth_getBlockByNumber", [toQuantity(number), true]),
      ]);
      if (receipts === undefined || response === null) return undefined;
      const block = receipts[0]?.block ?? (await readBlock(rpc, number, new Map()));
      if (block === undefined) return undefined;
      const { hash, transactions } = Block.parse(response);
      // The block was replaced between the requests, or the node contradicts itself.
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

async function withRetries<T>(fetch: () => Promise<T>): Promise<T> {
  for (const milliseconds of RETRY_MILLISECONDS) {
    try {
      return await fetch();
    } catch {
      await sleep(milliseconds);
    }
  }
  return fetch();
}
