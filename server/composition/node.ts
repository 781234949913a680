import { readNodeList } from "../chain/consensus/peers.ts";
import { nodeInspector, type NodeInspector } from "../chain/node/node-inspector.ts";
import { withCallDeadline } from "../chain/rpc/connect.ts";
import { registerNetworkMetrics } from "../operations/network-metrics.ts";
import type { ChainConfig } from "../config/chain.ts";
import type { Foundation } from "./foundation.ts";

/**
 * Returns the inspector of the chain's node, and registers the metrics of the node and its network.
 * @param sender Has the address whose balance is reported
 */
export function createNodeInspector(
  { link, fees, head, metrics, validatorNames }: Foundation,
  { nodeListFile, requestTimeout }: Pick<ChainConfig, "nodeListFile" | "requestTimeout">,
  sender: { readonly address: string },
): NodeInspector {
  const inspect = nodeInspector({
    rpc: withCallDeadline(link.rpc),
    relayer: () => sender.address,
    fees,
    names: validatorNames,
    nodes: nodeListFile === undefined ? undefined : readNodeList(nodeListFile),
    requestTimeout,
  });
  metrics.gauge("sealbook_chain_block_number", "Number of the newest block seen", () => head.head?.number);
  metrics.gauge("sealbook_chain_up", "Whether the node responds (1) or not (0)", () => (head.reachable ? 1 : 0));
  registerNetworkMetrics(metrics, async () => (head.reachable ? await inspect() : undefined));
  return inspect;
}
