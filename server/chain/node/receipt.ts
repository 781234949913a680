import { z } from "zod";
import { getBytes } from "ethers";
import { AddressText, Hex, Quantity, Hash, OptionalAddress, query, parseResponse } from "../rpc/query.ts";
import { isTooLarge, NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";
import type { BlockReference } from "../transaction.ts";
import { fetchBlock, NodeBlock, readBlock, type ValidatorNames } from "./node-block.ts";

/** An event of a transaction. */
export const NodeLog = z.object({
  address: AddressText,
  topics: z.array(Hex),
  data: Hex,
  blockNumber: Quantity,
  transactionHash: Hex,
  logIndex: Quantity,
});
export type NodeLog = z.output<typeof NodeLog>;

/** Addresses and topics of logs, as parameters of `eth_getLogs`. */
export interface LogFilter {
  readonly address: readonly string[];
  readonly topics: readonly (string | readonly string[] | null)[];
}

/** Growth of the range after one that the node accepted: its limit can be one of the number of logs. */
const GROWTH = 1.1;
/** Length of the next range of blocks for each node that has refused a longer one. */
const acceptedRanges = new WeakMap<Pick<Rpc, "call">, number>();

/**
 * Fetches the logs of a range of blocks, both ends included, in the order of the chain. Nodes limit the length of a
 * range or the number of logs: a range that the node refuses is divided, and one whose logs are too many.
 * @throws NodeError when the node refuses the logs of a single block
 */
export async function fetchLogs(
  rpc: Pick<Rpc, "call">,
  filter: LogFilter,
  fromBlock: number,
  toBlock: number,
): Promise<NodeLog[]> {
  const logs: NodeLog[] = [];
  for (let from = fromBlock, length = acceptedRanges.get(rpc) ?? Infinity; from <= toBlock;) {
    const to = Math.min(toBlock, from + length - 1);
    try {
      logs.push(...(await fetchLogRange(rpc, filter, from, to)));
      if (to - from + 1 === length) acceptedRanges.set(rpc, (length = Math.ceil(length * GROWTH)));
      from = to + 1;
    } catch (error) {
      if (!(error instanceof NodeError || isTooLarge(error)) || to === from) throw error;
      length = Math.ceil((to - from + 1) / 2);
      acceptedRanges.set(rpc, length);
    }
  }
  return logs;
}

/**
 * Fetches the logs of a range of blocks with one call.
 * @throws NodeError when the node refuses a range of this length
 */
export async function fetchLogRange(
  rpc: Pick<Rpc, "call">,
  filter: LogFilter,
  fromBlock: number,
  toBlock: number,
): Promise<NodeLog[]> {
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
  return (await query(rpc, z.array(NodeLog), "eth_getLogs", [{ ...filter, ...range }])) ?? [];
}

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
