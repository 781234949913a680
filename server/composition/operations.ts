import type { NodeInspector } from "../chain/node/node-inspector.ts";
import type { AlertConfig } from "../config/config.ts";
import { AlertWebhook } from "../operations/alert-webhook.ts";
import { SealbookError } from "../errors.ts";
import { ClockMonitor } from "../operations/clock-monitor.ts";
import { NodeMonitor } from "../operations/node-monitor.ts";
import type { Status } from "../operations/responses.ts";
import type { StorageMonitor } from "../operations/storage-monitor.ts";
import { STALE_BLOCK_SECONDS, statusReport } from "../operations/status.ts";
import { ANCHORING } from "../operations/telemetry.ts";
import type { Foundation } from "./foundation.ts";
import type { JournalWorkers } from "./journal-workers.ts";
import type { PublicAddress } from "./public-address.ts";
import type { Journal } from "./journal.ts";
import type { RelayerTransactions } from "./transactions.ts";

/** The monitor of the chain's node, the receivers of alerts, and the status of the server. */
export interface Operations {
  /** Response of `GET /api/v1/status`. */
  status(): Promise<Status>;
  /**
   * Checks that requests can be served.
   * @throws SealbookError `journal_unavailable`; `chain_unavailable` when the node serves another chain
   */
  assertReady(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface OperationsOptions {
  readonly config: AlertConfig;
  readonly inspect: NodeInspector;
  readonly transactions: RelayerTransactions;
  readonly journalWorkers: JournalWorkers;
  readonly address: PublicAddress;
  readonly storage: StorageMonitor;
  readonly clockLimitMilliseconds: number;
  readonly nodeIntervalMilliseconds: number | undefined;
}

export function createOperations(foundation: Foundation, options: OperationsOptions): Operations {
  const { link, journal, head, metrics, alerts, telemetry, clock } = foundation;
  const { inspect, storage, nodeIntervalMilliseconds } = options;
  // The embedded chain makes blocks only when a transaction waits.
  const regularBlocks = link.embedded === undefined;
  const webhooks = createWebhooks(foundation, options);
  const nodeMonitor = new NodeMonitor({
    inspect,
    telemetry,
    regularBlocks,
    staleSeconds: STALE_BLOCK_SECONDS,
    intervalMilliseconds: nodeIntervalMilliseconds,
  });
  const clockMonitor = new ClockMonitor({
    clock,
    head: () => head.head,
    isEmbedded: link.embedded !== undefined,
    limitMilliseconds: options.clockLimitMilliseconds,
    telemetry,
  });
  metrics.gauge(
    "sealbook_clock_skew_seconds",
    "Time by which the newest block is ahead of the server's clock",
    () => clockMonitor.blockAhead() ?? undefined,
  );
  return {
    status: createStatus(foundation, options, clockMonitor, regularBlocks),
    async assertReady() {
      storage.assertReady();
      await assertReadable(journal);
      if (alerts.lasts("wrong_chain"))
        throw new SealbookError("chain_unavailable", "the chain's node serves another chain than the journal's");
    },
    async start() {
      await storage.start();
      clockMonitor.start();
      nodeMonitor.start();
      for (const webhook of webhooks) webhook.start();
    },
    async stop() {
      await Promise.all(webhooks.map((webhook) => webhook.stop()));
      await nodeMonitor.stop();
      await clockMonitor.stop();
      await storage.stop();
    },
  };
}

function createWebhooks(
  { alerts, alertStore, logger, clock }: Foundation,
  { config, address }: OperationsOptions,
): readonly AlertWebhook[] {
  const webhooks = config.webhooks.map(
    (url, index) =>
      new AlertWebhook({
        url,
        secret: config.webhookSecret,
        store: alertStore,
        instance: address,
        clock,
        onFailure: (reason) =>
          logger.warn(
            { webhook: index + 1, reason },
            "a receiver in ALERT_WEBHOOKS cannot be notified; the server retries until it responds",
          ),
      }),
  );
  alerts.subscribe(() => webhooks.forEach((webhook) => webhook.wake()));
  return webhooks;
}

function createStatus(
  { version, link, journal, alerts, telemetry }: Foundation,
  { inspect, transactions, journalWorkers, storage }: OperationsOptions,
  clockMonitor: ClockMonitor,
  regularBlocks: boolean,
): () => Promise<Status> {
  const startedAt = performance.now();
  return () =>
    statusReport({
      version,
      uptime: () => (performance.now() - startedAt) / 1000,
      chainId: link.rpc.chainId,
      relayer: transactions.sender.address,
      regularBlocks,
      inspect,
      proofCounts: () => journal.proofs.counts(),
      transactionsInFlight: () => transactions.countInFlight(),
      failedAnchors: async () => (await journal.anchors.failed()).length,
      isLate: () => alerts.lasts("degraded_performance", ANCHORING),
      divergences: () => telemetry.counts().divergences,
      storage: () => storage.state(),
      contradiction: () => telemetry.counts().contradiction,
      clock: clockMonitor,
      lacksReplica: () => journalWorkers.syncReplication?.isAvailable === false,
      lastReconciled: () => journalWorkers.lastReconciled(),
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
