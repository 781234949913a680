import { getBytes } from "ethers";
import { z } from "zod";
import type { BlockReference } from "../block.ts";
import { askBlockReceipts } from "../rpc/block-receipts.ts";
import { Quantity } from "../rpc/quantity.ts";
import { type Rpc, toQuantity } from "../rpc/rpc.ts";

const Block = z.object({
  number: Quantity,
  hash: z.string(),
  timestamp: Quantity,
  miner: z.string(),
});

const Receipt = z.object({
  transactionHash: z.string(),
  blockHash: z.string(),
  blockNumber: Quantity,
  status: Quantity,
});

/** What became of a transaction that was mined. */
export interface Receipt {
  /** `0x` hex. */
  readonly transactionHash: string;
  readonly succeeded: boolean;
  readonly block: BlockReference;
}

/** Names for proposers, by lower-case address. */
export type ValidatorNames = ReadonlyMap<string, string>;

/** Block headers, as they are kept with a transaction; `undefined` for a block that the node does not have. */
export async function readBlock(
  rpc: Pick<Rpc, "call">,
  number: number,
  names: ValidatorNames,
): Promise<BlockReference | undefined> {
  const answer = await rpc.call("eth_getBlockByNumber", [toQuantity(number), false]);
  if (answer === null) return undefined;
  const block = Block.parse(answer);
  return {
    number: block.number,
    hash: getBytes(block.hash),
    time: block.timestamp,
    validator: names.get(block.miner.toLowerCase()) ?? block.miner,
  };
}

/**
 * All receipts of a block.
 * @returns `undefined` when the node does not have the block, or gives receipts of another block under its number
 */
export async function readBlockReceipts(
  rpc: Rpc,
  number: number,
  names: ValidatorNames,
): Promise<Receipt[] | undefined> {
  const [block, answer] = await Promise.all([readBlock(rpc, number, names), askBlockReceipts(rpc, number)]);
  if (block === undefined || answer === null) return undefined;
  const receipts = z.array(Receipt).parse(answer);
  const hash = Buffer.from(block.hash).toString("hex");
  if (receipts.some((receipt) => receipt.blockHash.slice(2).toLowerCase() !== hash)) return undefined;
  return receipts.map(({ transactionHash, status }) => ({ transactionHash, succeeded: status === 1, block }));
}

/** The receipt of one transaction; `undefined` while it is not mined. */
export async function readReceipt(
  rpc: Rpc,
  transactionHash: string,
  names: ValidatorNames,
): Promise<Receipt | undefined> {
  const answer = await rpc.call("eth_getTransactionReceipt", [transactionHash]);
  if (answer === null) return undefined;
  const receipt = Receipt.parse(answer);
  const block = await readBlock(rpc, receipt.blockNumber, names);
  if (block === undefined || Buffer.compare(block.hash, getBytes(receipt.blockHash)) !== 0) return undefined;
  return { transactionHash: receipt.transactionHash, succeeded: receipt.status === 1, block };
}
