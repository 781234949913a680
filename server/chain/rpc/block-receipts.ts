import { z } from "zod";
import { NodeError, type Rpc, toQuantity } from "./rpc.ts";

/** How nodes say that they have no such method: unknown, or not enabled. */
const LACKS_METHOD = new Set([-32601, -32604]);
const Block = z.object({ transactions: z.array(z.string()) });

/**
 * All receipts of a block, unchecked; from a node that does not give them together they are asked for one by one.
 * @returns `null` when the node does not have the block, or not all of its receipts
 */
export async function askBlockReceipts(rpc: Pick<Rpc, "call">, number: number): Promise<unknown> {
  try {
    return await rpc.call("eth_getBlockReceipts", [toQuantity(number)]);
  } catch (error) {
    if (!(error instanceof NodeError && LACKS_METHOD.has(error.code))) throw error;
  }
  const block = Block.nullable().parse(await rpc.call("eth_getBlockByNumber", [toQuantity(number), false]));
  if (block === null) return null;
  const receipts = await Promise.all(block.transactions.map((hash) => rpc.call("eth_getTransactionReceipt", [hash])));
  return receipts.includes(null) ? null : receipts;
}
