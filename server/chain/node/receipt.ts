import * as z from "zod";
import { getBytes } from "ethers";
import { Quantity, Hash, OptionalAddress, lookUp, lookUpWithHead } from "../rpc/query.ts";
import { nodeErrorIn, type Rpc, toQuantity } from "../rpc/rpc.ts";
import { lacksMethod } from "../rpc/node-words.ts";
import type { BlockReference } from "../block.ts";
import { NodeLog } from "./log.ts";
import { fetchBlock, NodeBlock, readBlock, type ValidatorNames } from "./node-block.ts";

/** A receipt with the logs of its transaction. */
export const NodeReceipt = z.object({
  transactionHash: Hash,
  transactionIndex: Quantity,
  blockHash: Hash,
  blockNumber: Quantity,
  status: Quantity,
  gasUsed: Quantity,
  contractAddress: OptionalAddress,
  logs: z.array(NodeLog),
});

/** Reading the outcome alone omits the logs of a full block. */
const Outcome = NodeReceipt.pick({ transactionHash: true, blockHash: true, blockNumber: true, status: true });
/** Nodes without `eth_getBlockReceipts`: later calls skip the method. */
const withoutBlockReceipts = new WeakSet<Pick<Rpc, "call">>();
/** Receipts that are fetched one by one at the same time; over HTTP they share a request. */
const RECEIPTS_AT_ONCE = 50;

/** The outcome of a mined transaction. */
interface Receipt {
  /** `0x` hex. */
  readonly transactionHash: string;
  readonly succeeded: boolean;
  readonly block: BlockReference;
}

/**
 * Fetches all receipts of a block; one by one from a node without `eth_getBlockReceipts`.
 * @param receipt The schema of one receipt
 * @returns `undefined` for a block after the node's newest one
 * @throws SealbookError `chain_unavailable`, also when the node has the block and lacks receipts of it
 */
export function fetchBlockReceipts<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  number: number,
  receipt: Schema,
): Promise<z.output<Schema>[] | undefined> {
  return lookUpWithHead(rpc, number, "eth_getBlockReceipts", () => lookUpReceipts(rpc, number, receipt));
}

async function lookUpReceipts<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  number: number,
  receipt: Schema,
): Promise<z.output<Schema>[] | undefined> {
  if (!withoutBlockReceipts.has(rpc)) {
    try {
      return await lookUp(rpc, z.array(receipt), "eth_getBlockReceipts", [toQuantity(number)]);
    } catch (thrown) {
      const error = nodeErrorIn(thrown);
      if (error === undefined || !lacksMethod(error)) throw thrown;
      withoutBlockReceipts.add(rpc);
    }
  }
  const block = await fetchBlock(rpc, number, NodeBlock.pick({ transactions: true }));
  if (block === undefined) return undefined;
  const receipts: z.output<Schema>[] = [];
  for (let first = 0; first < block.transactions.length; first += RECEIPTS_AT_ONCE) {
    const hashes = block.transactions.slice(first, first + RECEIPTS_AT_ONCE);
    const found = await Promise.all(hashes.map((hash) => lookUp(rpc, receipt, "eth_getTransactionReceipt", [hash])));
    for (const each of found) {
      if (each === undefined) return undefined;
      receipts.push(each);
    }
  }
  return receipts;
}

/** Reads the outcome of one transaction; `undefined` while it is not mined. */
export async function readReceipt(
  rpc: Rpc,
  transactionHash: string,
  names: ValidatorNames,
): Promise<Receipt | undefined> {
  const receipt = await lookUp(rpc, Outcome, "eth_getTransactionReceipt", [transactionHash]);
  if (receipt === undefined) return undefined;
  const block = await readBlock(rpc, receipt.blockNumber, names);
  if (block === undefined || Buffer.compare(block.hash, getBytes(receipt.blockHash)) !== 0) return undefined;
  return { transactionHash: receipt.transactionHash, succeeded: receipt.status === 1, block };
}
