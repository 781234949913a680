import { z } from "zod";

import { AddressText, Hex, Quantity, query } from "../rpc/query.ts";
import { isTooLarge, NodeError, type Rpc, toQuantity } from "../rpc/rpc.ts";

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
