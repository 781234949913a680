import { Counter, Gauge, type Registry } from "prom-client";
import type { NodeReport } from "../chain/node/node-report.ts";

/** Adds a gauge over what the node says; it is left out while the node says nothing. */
export type NodeGauge = (name: string, help: string, read: (node: NodeReport) => number) => void;

type Validators = NonNullable<NodeReport["consensus"]["bft"]>["participation"];

/** Metrics of the network behind the node. Those with a label for each validator are there on BFT networks only. */
export function networkGauges(
  registry: Registry,
  ask: () => Promise<NodeReport | undefined>,
  nodeGauge: NodeGauge,
): void {
  const bft =
    (read: (report: NonNullable<NodeReport["consensus"]["bft"]>) => number) =>
    ({ consensus }: NodeReport) =>
      consensus.bft === undefined ? 0 : read(consensus.bft);
  nodeGauge(
    "sealbook_consensus_round",
    "How often the validators had to try again for the newest block",
    bft(({ round }) => round),
  );
  nodeGauge(
    "sealbook_consensus_slow",
    "Whether proposers are waited for (1) or not (0)",
    bft(({ pace }) => (pace === "slow" ? 1 : 0)),
  );
  nodeGauge(
    "sealbook_consensus_stalled",
    "Whether no blocks come any more (1) or not (0)",
    bft(({ pace }) => (pace === "stalled" ? 1 : 0)),
  );
  nodeGauge(
    "sealbook_consensus_validators_missing",
    "Validators that take no part",
    bft(({ missing }) => missing.length),
  );
  nodeGauge(
    "sealbook_consensus_quorum_missing",
    "Validators that would have to take part for blocks to come; 0 while they come",
    bft(({ quorumMissing }) => quorumMissing),
  );
  nodeGauge(
    "sealbook_consensus_block_period_seconds",
    "Time between blocks that are agreed on at once",
    bft(({ rhythm }) => rhythm?.blockPeriod ?? 0),
  );
  nodeGauge(
    "sealbook_consensus_request_timeout_seconds",
    "How long the first proposer is waited for",
    bft(({ rhythm }) => rhythm?.requestTimeout ?? 0),
  );
  nodeGauge(
    "sealbook_chain_peers_listed",
    "Peers that the list of the network's nodes gives the node; 0 without a list",
    ({ network }) => network.listed ?? 0,
  );
  nodeGauge(
    "sealbook_chain_peers_unlisted",
    "Peers that are not on the list of the network's nodes",
    ({ network }) => network.unlisted.length,
  );

  new Counter({
    name: "sealbook_consensus_round_changes_total",
    help: "Rounds that validators needed beyond the first of each block",
    registers: [registry],
    async collect() {
      const node = await ask().catch(() => undefined);
      if (node === undefined) return;
      this.reset();
      this.inc(node.consensus.bft?.roundChanges ?? 0);
    },
  });

  const labelled = <Row>(
    name: string,
    help: string,
    label: string,
    rows: (node: NodeReport) => readonly Row[],
    read: (row: Row) => readonly [string, number | undefined],
  ): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: [label],
      async collect() {
        this.reset();
        const node = await ask().catch(() => undefined);
        for (const row of node === undefined ? [] : rows(node)) {
          const [value, number] = read(row);
          if (number !== undefined) this.set({ [label]: value }, number);
        }
      },
    });
  };
  const validators = ({ consensus }: NodeReport): Validators => consensus.bft?.participation ?? [];
  labelled(
    "sealbook_validator_active",
    "Whether a validator takes part and proposes (1) or not (0)",
    "validator",
    validators,
    (each) => [each.validator, each.state === "active" ? 1 : 0],
  );
  labelled(
    "sealbook_validator_missed_turns",
    "Turns since its last block that a validator let pass",
    "validator",
    validators,
    (each) => [each.validator, each.missedTurns],
  );
  labelled(
    "sealbook_validator_last_proposed_block",
    "Number of the newest block that a validator proposed",
    "validator",
    validators,
    (each) => [each.validator, each.lastProposed],
  );
  const addresses = ({ addresses: all }: NodeReport): NodeReport["addresses"] => all;
  labelled(
    "sealbook_rpc_up",
    "Whether the node at an address of RPC_URL can be used (1) or not (0)",
    "address",
    addresses,
    (each) => [each.address, each.reachable ? 1 : 0],
  );
  labelled(
    "sealbook_rpc_active",
    "Whether calls go to an address of RPC_URL (1) or not (0)",
    "address",
    addresses,
    (each) => [each.address, each.active ? 1 : 0],
  );
  labelled(
    "sealbook_rpc_block_number",
    "Number of the newest block of the node at an address of RPC_URL",
    "address",
    addresses,
    (each) => [each.address, each.blockNumber],
  );
}
