import { z } from "zod";
import { getBytes } from "ethers";
import { Quantity, Hash, OptionalAddress, query, parseResponse } from "../rpc/query.ts";
import { NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";
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
/** Error codes of nodes for a missing method: unknown, or not enabled. Some return another code with such a message. */
const LACKS_METHOD = new Set([-32601, -32604]);
const LACKS_METHOD_MESSAGE = /\bmethod\b.*\bnot\b|\bunsupported method\b/i;
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
 * @returns `undefined` when the node does not have the block, or not all of its receipts
 */
export async function fetchBlockReceipts<Schema extends z.ZodType>(
  rpc: Pick<Rpc, "call">,
  number: number,
  receipt: Schema,
): Promise<z.output<Schema>[] | undefined> {
  if (!withoutBlockReceipts.has(rpc)) {
    try {
      return await query(rpc, z.array(receipt), "eth_getBlockReceipts", [toQuantity(number)]);
    } catch (error) {
      if (!lacksMethod(error)) throw error;
      withoutBlockReceipts.add(rpc);
    }
  }
  const block = await fetchBlock(rpc, number, NodeBlock.pick({ transactions: true }));
  if (block === undefined) return undefined;
  const method = "eth_getTransactionReceipt";
  const receipts: unknown[] = [];
  for (let first = 0; first < block.transactions.length; first += RECEIPTS_AT_ONCE) {
    const hashes = block.transactions.slice(first, first + RECEIPTS_AT_ONCE);
    receipts.push(...(await Promise.all(hashes.map((hash) => rpc.call(method, [hash])))));
  }
  return receipts.includes(null) ? undefined : parseResponse(z.array(receipt), method, receipts);
}

function lacksMethod(error: unknown): boolean {
  if (!(error instanceof NodeError)) return false;
  return LACKS_METHOD.has(error.code) || LACKS_METHOD_MESSAGE.test(error.message);
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
