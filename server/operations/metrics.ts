import type { AlertKind } from "./alert.ts";
import type { NodeReport } from "../chain/node/node-report.ts";
import { type NodeGauge, networkGauges } from "./network-metrics.ts";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** How long what the node said of itself is good enough. */
const NODE_REPORT_MILLISECONDS = 1_000;
/** Sums that come with the standard metrics under names that conventions keep for counters; what they sum is there too. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** What gauges ask for when the metrics are read. */
export interface MetricSources {
  readonly version: string;
  /** Proofs that may be pending before no more are accepted. */
  readonly mostPending: number;
  proofs(): Promise<{ records: number; pending: number }>;
  records(): Promise<number>;
  liveSessions(): Promise<number>;
  transactionsUnderWay(): Promise<number>;
  /** Seconds since the oldest proof was accepted that is not on chain; 0 when all are. */
  oldestUnconfirmed(): Promise<number>;
  /** Requests that wait for the chain. */
  waiting(): number;
  /** Anchors that the chain did not take and that wait for another try. */
  failedAnchors(): Promise<number>;
  /** Number of the journal's newest entry. */
  entries(): Promise<number>;
  /** Seconds since the journal's digest was anchored, while there is something new in it. */
  checkpointLagSeconds(): number;
  /** When journal and chain were last compared, in Unix seconds. */
  lastReconciled(): Promise<number | null>;
  /** When the certificate that the server listens with expires, in Unix milliseconds. */
  certificateExpires(): number | undefined;
  /** How many alerts of each kind last. */
  alerts(): ReadonlyMap<AlertKind, number>;
  /** How far each replica is behind the journal. */
  replicas(): readonly { readonly name: string; readonly seconds: number; readonly entries: number }[];
  chain(): { blockNumber: number | undefined; reachable: boolean };
  node(): Promise<NodeReport | undefined>;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics in the Prometheus text format, with the standard ones of process and Node (CPU, memory, event loop). */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const registers = [registry];

  const gauge = (name: string, help: string, read: () => Promise<number | undefined> | number | undefined): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // A source that cannot answer leaves its gauge out instead of failing the whole page.
        try {
          const value = await read();
          if (value === undefined) this.remove();
          else this.set(value);
        } catch {
          this.remove();
        }
      },
    });
  };

  // The gauges of one page share one round of questions to the node.
  let asked: { at: number; report: Promise<NodeReport | undefined> } | undefined;
  const askNode = (): Promise<NodeReport | undefined> => {
    if (asked === undefined || performance.now() - asked.at > NODE_REPORT_MILLISECONDS) {
      asked = { at: performance.now(), report: sources.node() };
    }
    return asked.report;
  };
  const nodeGauge: NodeGauge = (name, help, read) =>
    gauge(name, help, async () => {
      const node = await askNode();
      return node && read(node);
    });

  new Gauge({
    name: "sealbook_build_info",
    help: "Always 1, with the version",
    labelNames: ["version"],
    registers,
  }).set({ version: sources.version }, 1);
  gauge("sealbook_journal_proofs", "Proofs in the journal", async () => (await sources.proofs()).records);
  gauge(
    "sealbook_proofs_pending",
    "Proofs accepted and not confirmed yet",
    async () => (await sources.proofs()).pending,
  );
  gauge("sealbook_proofs_pending_limit", "Pending proofs past which no more are accepted", () => sources.mostPending);
  gauge("sealbook_proof_oldest_pending_seconds", "Time since the oldest proof was accepted that is not on chain", () =>
    sources.oldestUnconfirmed(),
  );
  gauge("sealbook_proof_requests_waiting", "Requests that wait for their confirmation", () => sources.waiting());
  gauge("sealbook_records", "Records in the local copy of the event table", () => sources.records());
  gauge("sealbook_sessions_live", "Sessions that are live", () => sources.liveSessions());
  gauge("sealbook_transactions_under_way", "Transactions without an outcome", () => sources.transactionsUnderWay());
  gauge("sealbook_anchors_failed", "Anchors that the chain did not take and that wait for another try", () =>
    sources.failedAnchors(),
  );
  gauge("sealbook_journal_entries", "Entries of the journal", () => sources.entries());
  gauge(
    "sealbook_journal_checkpoint_lag_seconds",
    "Time since the journal's digest was anchored; 0 when there is nothing new in it",
    () => sources.checkpointLagSeconds(),
  );
  gauge(
    "sealbook_journal_reconciled_timestamp_seconds",
    "When journal and chain were last compared",
    async () => (await sources.lastReconciled()) ?? undefined,
  );
  gauge("sealbook_chain_block_number", "Number of the newest block seen", () => sources.chain().blockNumber);
  gauge("sealbook_chain_up", "Whether the node answers (1) or not (0)", () => (sources.chain().reachable ? 1 : 0));
  nodeGauge("sealbook_chain_block_age_seconds", "Time since the newest block", (node) =>
    Math.max(0, Date.now() / 1000 - node.blockTime),
  );
  nodeGauge("sealbook_chain_syncing", "Whether the node is catching up (1) or not (0)", (node) =>
    node.syncing ? 1 : 0,
  );
  nodeGauge("sealbook_chain_peers", "Peers of the node", (node) => node.peers);
  nodeGauge(
    "sealbook_consensus_validators",
    "Validators of the consensus network",
    (node) => node.consensus.validators.length,
  );
  nodeGauge("sealbook_consensus_quorum", "Validators that have to agree on a block", (node) => node.consensus.quorum);
  networkGauges(registry, askNode, nodeGauge);
  nodeGauge("sealbook_relayer_balance_wei", "Balance of the relayer's key", (node) => Number(node.balance));

  new Gauge({
    name: "sealbook_alerts_active",
    help: "Alerts that last",
    labelNames: ["alert"],
    registers,
    collect() {
      for (const [alert, count] of sources.alerts()) this.set({ alert }, count);
    },
  });

  gauge(
    "sealbook_tls_certificate_expiry_timestamp_seconds",
    "When the certificate expires that the server listens with",
    () => {
      const expires = sources.certificateExpires();
      return expires === undefined ? undefined : expires / 1000;
    },
  );
  gauge("sealbook_replicas", "Targets that the journal is replicated to", () => sources.replicas().length);
  const replicaGauge = (
    name: string,
    help: string,
    read: (replica: ReturnType<MetricSources["replicas"]>[number]) => number,
  ): void => {
    new Gauge({
      name,
      help,
      registers,
      labelNames: ["replica"],
      collect() {
        for (const replica of sources.replicas()) this.set({ replica: replica.name }, read(replica));
      },
    });
  };
  replicaGauge(
    "sealbook_replica_lag_seconds",
    "Age of the oldest journal entry that a replica does not have",
    ({ seconds }) => seconds,
  );
  replicaGauge(
    "sealbook_replica_lag_entries",
    "Journal entries that a replica does not have",
    ({ entries }) => entries,
  );

  const logins = new Counter({
    name: "sealbook_logins_total",
    help: "Logins by result",
    labelNames: ["result"],
    registers,
  });
  // A rate needs to know that there were none before the first one.
  for (const result of ["accepted", "refused", "locked_out"]) logins.inc({ result }, 0);

  return {
    registry,
    proofsAccepted: new Counter({ name: "sealbook_proofs_accepted_total", help: "Proofs accepted", registers }),
    proofConfirmation: new Histogram({
      name: "sealbook_proof_confirmation_seconds",
      help: "Time from acceptance to confirmation of a proof",
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 6, 12, 30, 60],
      registers,
    }),
    batchSize: new Histogram({
      name: "sealbook_batch_size_hashes",
      help: "Hashes that share a transaction",
      buckets: [1, 3, 10, 30, 100, 300, 1000],
      registers,
    }),
    anchorsSetAside: new Counter({
      name: "sealbook_anchors_set_aside_total",
      help: "Times that the chain did not take an anchor which cannot be halved",
      registers,
    }),
    recordsStored: new Counter({ name: "sealbook_records_stored_total", help: "Records stored", registers }),
    logins,
    divergences: new Counter({
      name: "sealbook_journal_divergences_total",
      help: "Disagreements of journal, replicas and chain that were found, each once",
      registers,
    }),
    repairs: new Counter({
      name: "sealbook_journal_repairs_total",
      help: "Times that journal and chain disagreed and what could be mended was",
      registers,
    }),
    httpRequests: new Histogram({
      name: "sealbook_http_request_duration_seconds",
      help: "Time to answer an HTTP request",
      labelNames: ["method", "route", "status"],
      buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 12, 30],
      registers,
    }),
  };
}
