import { z } from "zod";
import { AddressText, Hex, Quantity } from "../rpc/fields.ts";
import { query } from "../rpc/query.ts";
import { type Rpc, toQuantity } from "../rpc/rpc.ts";

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

/**
 * Fetches the logs of a range of blocks, both ends included, in the order of the chain.
 * @throws NodeError when the node refuses a range of this length
 */
export async function fetchLogs(
  rpc: Pick<Rpc, "call">,
  filter: LogFilter,
  fromBlock: number,
  toBlock: number,
): Promise<NodeLog[]> {
  const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
  return (await query(rpc, z.array(NodeLog), "eth_getLogs", [{ ...filter, ...range }])) ?? [];
}
