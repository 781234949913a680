import type { NodeReport } from "../chain/node/node-inspector.ts";
import type { Metrics } from "./metrics.ts";

/** How long a report of the node is used: the metrics of one scrape share it. */
const NODE_REPORT_MILLISECONDS = 1_000;

/** Name, help, and value. */
type Gauge<T> = readonly [name: string, help: string, read: (from: T) => number | undefined];

const NODE_GAUGES: readonly Gauge<NodeReport>[] = [
  [
    "sealbook_chain_block_age_seconds",
    "Time since the newest block",
    ({ blockTime }) => Math.max(0, Date.now() / 1000 - blockTime),
  ],
  ["sealbook_chain_syncing", "Whether the node is catching up (1) or not (0)", ({ syncing }) => Number(syncing)],
  ["sealbook_chain_peers", "Peers of the node", ({ peers }) => peers],
  [
    "sealbook_chain_peers_listed",
    "Peers that the list of the network's nodes gives the node; 0 without a list",
    ({ network }) => network.listed ?? 0,
  ],
  [
    "sealbook_chain_peers_unlisted",
    "Peers that are not on the list of the network's nodes",
    ({ network }) => network.unlisted.length,
  ],
  [
    "sealbook_consensus_validators",
    "Validators of the consensus network",
    ({ consensus }) => consensus.validators.length,
  ],
  ["sealbook_consensus_quorum", "Number of validators that must commit a block", ({ consensus }) => consensus.quorum],
  ["sealbook_relayer_balance_wei", "Balance of the relayer's key", ({ balance }) => Number(balance)],
];

/** One value for each address of `RPC_URL`, when there are several. */
const ADDRESS_GAUGES: readonly Gauge<NodeReport["addresses"][number]>[] = [
  [
    "sealbook_rpc_up",
    "Whether the node at an address of RPC_URL can be used (1) or not (0)",
    (at) => Number(at.reachable),
  ],
  ["sealbook_rpc_active", "Whether calls go to an address of RPC_URL (1) or not (0)", (at) => Number(at.active)],
  [
    "sealbook_rpc_block_number",
    "Number of the newest block of the node at an address of RPC_URL",
    ({ blockNumber }) => blockNumber,
  ],
];

/**
 * Registers the metrics of the chain's node and of the network behind it.
 * @param inspect Queries the node; `undefined` while it is unavailable, which leaves the metrics out
 */
export function registerNetworkMetrics(metrics: Metrics, inspect: () => Promise<NodeReport | undefined>): void {
  let latest: { at: number; report: Promise<NodeReport | undefined> } | undefined;
  const report = (): Promise<NodeReport | undefined> => {
    if (latest === undefined || performance.now() - latest.at > NODE_REPORT_MILLISECONDS) {
      latest = { at: performance.now(), report: inspect() };
    }
    return latest.report;
  };
  for (const [name, help, read] of NODE_GAUGES) {
    metrics.gauge(name, help, async () => {
      const node = await report();
      return node && read(node);
    });
  }
  for (const [name, help, read] of ADDRESS_GAUGES) {
    metrics.gaugeBy("address", name, help, async () =>
      ((await report())?.addresses ?? []).flatMap((each) => {
        const value = read(each);
        return value === undefined ? [] : [[each.address, value] as const];
      }),
    );
  }
}
