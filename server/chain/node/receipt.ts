import { getBytes } from "ethers";
import { z } from "zod";
import type { BlockReference } from "../block.ts";
import { Hash, OptionalAddress, Quantity } from "../rpc/fields.ts";
import { parseResponse, query } from "../rpc/query.ts";
import { NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";
import { fetchBlock, NodeBlock, readBlock, type ValidatorNames } from "./node-block.ts";
import { NodeLog } from "./log.ts";

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
/** Error codes of nodes for a missing method: unknown, or not enabled. */
const LACKS_METHOD = new Set([-32601, -32604]);

/** The outcome of a mined transaction. */
export interface Receipt {
  /** `0x` hex. */
  readonly transactionHash: string;
  readonly succeeded: boolean;
  readonly block: BlockReference;
}

/**
 * Fetches all receipts of a block; one by one from a node without `eth_getBlockReceipts`.
 * @param receipt The schema of one receipt
 * @returns `undefined` when the node does not have the block, or not all of its receipts
 */
export async function fetchBlockReceipts<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  number: number,
  receipt: Schema,
): Promise<z.output<Schema>[] | undefined> {
  try {
    return await query(rpc, z.array(receipt), "eth_getBlockReceipts", [toQuantity(number)]);
  } catch (error) {
    if (!(error instanceof NodeError && LACKS_METHOD.has(error.code))) throw error;
  }
  const block = await fetchBlock(rpc, number, NodeBlock.pick({ transactions: true }));
  if (block === undefined) return undefined;
  const method = "eth_getTransactionReceipt";
  const receipts = await Promise.all(block.transactions.map((hash) => rpc.call(method, [hash])));
  return receipts.includes(null) ? undefined : parseResponse(z.array(receipt), method, receipts);
}

/** Reads the outcome of one transaction; `undefined` while it is not mined. */
export async function readReceipt(
  rpc: Rpc,
  transactionHash: string,
  names: ValidatorNames,
): Promise<Receipt | undefined> {
  const receipt = await query(rpc, Outcome, "eth_getTransactionReceipt", [transactionHash]);
  if (receipt === undefined) return undefined;
  const block = await readBlock(rpc, receipt.blockNumber, names);
  if (block === undefined || Buffer.compare(block.hash, getBytes(receipt.blockHash)) !== 0) return undefined;
  return { transactionHash: receipt.transactionHash, succeeded: receipt.status === 1, block };
}
