import * as z from "zod";
import { limitsRate } from "../rpc/node-words.ts";
import { AddressText, Hex, Quantity, query, withBlocksTo } from "../rpc/query.ts";
import { isTooLarge, nodeErrorIn, type Rpc, toQuantity } from "../rpc/rpc.ts";

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
  /** Unset for logs of every contract. */
  readonly address?: readonly string[];
  readonly topics: readonly (string | readonly string[] | null)[];
}

/** Growth of the range after one that the node accepted: its limit can be one of the number of logs. */
const GROWTH = 1.1;
/** Length of the next range of blocks for each node that has refused a longer one. */
const acceptedRanges = new WeakMap<Pick<Rpc, "call">, number>();

/**
 * Fetches the logs of a range of blocks, both ends included, in the order of the chain. Nodes limit the length of a
 * range or the number of logs: a range that the node refuses is divided, and one whose logs are too many.
 * @throws SealbookError `chain_unavailable` also when the node refuses the logs of a single block, or lacks blocks
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
      if (!refusesRange(error) || to === from) throw error;
      length = Math.ceil((to - from + 1) / 2);
      acceptedRanges.set(rpc, length);
    }
  }
  return logs;
}

/** Returns whether a query of logs failed because of its range: a shorter one can succeed. */
export function refusesRange(error: unknown): boolean {
  const refusal = nodeErrorIn(error);
  return isTooLarge(error) || (refusal !== undefined && !limitsRate(refusal));
}

/**
 * Fetches the logs of a range of blocks with one call. A node that lacks the last block would return those of the
 * others.
 * @throws SealbookError `chain_unavailable` also when the node lacks blocks, or {@link refusesRange} this one
 */
export async function fetchLogRange(
  rpc: Pick<Rpc, "call">,
  filter: LogFilter,
  fromBlock: number,
  toBlock: number,
): Promise<NodeLog[]> {
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
  return withBlocksTo(rpc, toBlock, query(rpc, z.array(NodeLog), "eth_getLogs", [{ ...filter, ...range }]));
}
