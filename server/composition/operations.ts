import { dirname } from "node:path";
import { readNodeList } from "../chain/consensus/peers.ts";
import { contractsWhere } from "../chain/contracts/roles.ts";
import { nodeInspector, type NodeInspector } from "../chain/node/node-inspector.ts";
import { withCallDeadline } from "../chain/rpc/connect.ts";
import { isContradiction, isWrongChain } from "../chain/rpc/rpc.ts";
import { registerNetworkMetrics } from "../operations/network-metrics.ts";
import type { Context } from "./context.ts";
import { freeBytesOf, probeDatabase, StorageMonitor } from "../operations/storage-monitor.ts";
import { AlertWebhook } from "../operations/alert-webhook.ts";
import { SealbookError } from "../errors.ts";
import { ClockMonitor } from "../operations/clock-monitor.ts";
import { newestSequence } from "../journal/entries/journal-rows.ts";
import { NodeMonitor } from "../operations/node-monitor.ts";
import type { Status } from "../operations/responses.ts";
import { STALE_BLOCK_SECONDS, type StatusDeps, statusReport } from "../operations/status.ts";
import { ANCHORING } from "../operations/telemetry.ts";
import type { JournalWorkers } from "./journal-workers.ts";
import type { Journal } from "./journal.ts";
import { createRelayers, type Relayers } from "./relayers.ts";
import type { RelayerTransactions } from "./transactions.ts";

/**
 * Returns the inspector of the chain's node, which reports the sender's balance, and registers the metrics of the node
 * and its network.
 */
export function createNodeInspector(
  { config, link, fees, head, metrics, validatorNames }: Context,
  { sender }: RelayerTransactions,
): NodeInspector {
  const { nodeListFile } = config.chain;
  const inspect = nodeInspector({
    rpc: withCallDeadline(link.rpc),
    async rolesOf(relayer) {
      try {
        return await contractsWhere(link.rpc, link.deployment, "relayer", relayer);
      } catch (error) {
        // A chain without the contracts is another one.
        if (isContradiction(error)) await link.rpc.identify?.();
        throw error;
      }
    },
    relayer: sender.address,
    fees,
    names: validatorNames,
    nodes: nodeListFile === undefined ? undefined : readNodeList(nodeListFile),
  });
  metrics.gauge("sealbook_chain_block_number", "Number of the newest block seen", () => head.head?.number);
  metrics.gauge("sealbook_chain_up", "Whether the node responds (1) or not (0)", () =>
    head.failure === undefined ? 1 : 0,
  );
  registerNetworkMetrics(metrics, async () => (head.failure === undefined ? await inspect() : undefined));
  return inspect;
}

/** Builds the monitor of the journal's files, database and disk. */
function createStorageMonitor({
  config,
  opened,
  isLeader,
  database,
  telemetry,
  metrics,
  clock,
}: Context): StorageMonitor {
  const directories = [
    config.dataDirectory,
    ...(config.database.kind === "sqlite" ? [dirname(config.database.file)] : []),
  ];
  const monitor = new StorageMonitor({
    fault: () => opened.storage.fault(),
    isFailing: () => telemetry.counts().isJournalFailing,
    // Only the leader writes.
    probe: async () => void (isLeader ? await probeDatabase(database, clock) : await newestSequence(database)),
    freeBytes: () => freeBytesOf(directories),
    minimumFreeBytes: config.journal.minimumFreeBytes,
    lowFreeBytes: config.journal.lowFreeBytes,
    onSpace: (lack) => opened.storage.lacksSpace(lack),
    telemetry,
  });
  metrics.gauge("sealbook_journal_writable", "Whether the journal can be written (1) or not (0)", () =>
    monitor.state().writable ? 1 : 0,
  );
  metrics.gauge("sealbook_disk_free_bytes", "Free space on the disk of the journal", () => monitor.state().freeBytes);
  return monitor;
}

interface Monitored {
  readonly inspect: NodeInspector;
  readonly transactions: RelayerTransactions;
  readonly journalWorkers: JournalWorkers;
}

/** Creates the monitor of the chain's node, the receivers of alerts, and the status of the server. */
export function createOperations(context: Context, monitored: Monitored) {
  const { config, overrides, link, journal, head, metrics, telemetry, clock } = context;
  const { inspect, journalWorkers } = monitored;
  const storage = createStorageMonitor(context);
  // The embedded chain makes blocks only when a transaction waits.
  const regularBlocks = link.embedded === undefined;
  const staleSeconds = overrides.staleBlockSeconds ?? STALE_BLOCK_SECONDS;
  const webhooks = createWebhooks(context);
  const nodeMonitor = new NodeMonitor({
    inspect,
    telemetry,
    regularBlocks,
    staleSeconds,
    intervalMilliseconds: overrides.nodeIntervalMilliseconds,
  });
  const clockMonitor = new ClockMonitor({
    clock,
    head: () => head.head,
    isEmbedded: link.embedded !== undefined,
    limitMilliseconds: config.chain.clockLimitMilliseconds,
    telemetry,
  });
  metrics.gauge(
    "sealbook_clock_skew_seconds",
    "Time by which the newest block is ahead of the server's clock",
    () => clockMonitor.blockAhead() ?? undefined,
  );
  const relayers = createRelayers(context, { nodeMonitor, journalWorkers });
  return {
    status: createStatus(context, monitored, { clockMonitor, storage, relayers, regularBlocks, staleSeconds }),
    relayerRoutes: relayers.routes,
    /**
     * Checks that requests can be served, and returns which relayer leads and whether the node responds.
     * @throws SealbookError `journal_unavailable`; `chain_unavailable` when the node serves another chain
     */
    async ready() {
      storage.assertReady();
      await assertReadable(journal);
      if (isWrongChain(head.failure))
        throw new SealbookError("chain_unavailable", "the chain's node serves another chain than the journal's");
      return { ...(await relayers.leadership()), node_responds: !head.isSilent };
    },
    async start() {
      await storage.start();
      clockMonitor.start();
      nodeMonitor.start();
      for (const webhook of webhooks) webhook.start();
      relayers.start();
    },
    async stop() {
      await relayers.stop();
      await Promise.all(webhooks.map((webhook) => webhook.stop()));
      await nodeMonitor.stop();
      await clockMonitor.stop();
      await storage.stop();
    },
  };
}

function createWebhooks({
  config: { alerts: config },
  address,
  alerts,
  alertStore,
  clock,
}: Context): readonly AlertWebhook[] {
  const webhooks = config.webhooks.map(
    (url, index) =>
      new AlertWebhook({
        url,
        secret: config.webhookSecret,
        store: alertStore,
        instance: address,
        clock,
        onDelivery: (fault) => alerts.reportDelivery(`receiver ${index + 1} of ALERT_WEBHOOKS`, fault),
      }),
  );
  alerts.subscribe((alert) => webhooks.forEach((webhook) => webhook.note(alert)));
  return webhooks;
}

function createStatus(
  { version, opened, link, journal, alerts, telemetry }: Context,
  { inspect, transactions, journalWorkers }: Monitored,
  {
    clockMonitor,
    storage,
    relayers,
    ...staleness
  }: {
    readonly clockMonitor: ClockMonitor;
    readonly storage: StorageMonitor;
    readonly relayers: Relayers;
  } & Pick<StatusDeps, "regularBlocks" | "staleSeconds">,
): () => Promise<Status> {
  return () =>
    statusReport({
      version,
      uptime: () => (performance.now() - opened.startedAt) / 1000,
      chainId: link.rpc.chainId,
      relayer: transactions.sender.address,
      ...staleness,
      inspect,
      proofCounts: () => journal.proofs.counts(),
      transactionsInFlight: () => transactions.countInFlight(),
      failedAnchors: async () => (await journal.anchors.failed()).length,
      isLate: () => alerts.lasts("degraded_performance", ANCHORING),
      undelivered: () => alerts.undelivered(),
      divergences: () => telemetry.counts().divergences,
      leadership: () => relayers.leadership(),
      unheard: () => relayers.fault(),
      storage: () => storage.state(),
      contradiction: () => telemetry.counts().contradiction,
      clock: clockMonitor,
      lastReconciled: () => journalWorkers.lastReconciled() ?? null,
      replicaLag: () => journalWorkers.replicaLag(),
    });
}

/** @throws SealbookError `journal_unavailable` */
async function assertReadable({ entries }: Journal): Promise<void> {
  try {
    await entries.head();
  } catch (cause) {
    throw new SealbookError("journal_unavailable", "the journal cannot be read", { cause, retryAfterSeconds: 1 });
  }
}
