import type { NodeInspector } from "../chain/node/node-report.ts";
import type { AlertConfig } from "../config/config.ts";
import { AlertWebhook } from "../operations/alert-webhook.ts";
import { NodeMonitor } from "../operations/node-monitor.ts";
import type { Status } from "../operations/responses.ts";
import { STALE_BLOCK_SECONDS, statusReport } from "../operations/status.ts";
import type { Foundation } from "./foundation.ts";
import type { JournalWorkers } from "./journal-workers.ts";
import type { PublicAddress } from "./public-address.ts";
import type { RelayerTransactions } from "./transactions.ts";

/** The monitor of the chain's node, the receivers of alerts, and the status of the server. */
export interface Operations {
  /** Response of `GET /api/v1/status`. */
  status(): Promise<Status>;
  start(): void;
  stop(): Promise<void>;
}

export interface OperationsOptions {
  readonly config: AlertConfig;
  readonly inspect: NodeInspector;
  readonly transactions: RelayerTransactions;
  readonly journalWorkers: JournalWorkers;
  readonly address: PublicAddress;
  readonly nodeIntervalMilliseconds: number | undefined;
}

export function createOperations(foundation: Foundation, options: OperationsOptions): Operations {
  const { link, telemetry } = foundation;
  const { inspect, nodeIntervalMilliseconds } = options;
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
  return {
    status: createStatus(foundation, options, regularBlocks),
    start() {
      nodeMonitor.start();
      for (const webhook of webhooks) webhook.start();
    },
    async stop() {
      await Promise.all(webhooks.map((webhook) => webhook.stop()));
      await nodeMonitor.stop();
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
  { version, link, journal, telemetry }: Foundation,
  { inspect, transactions, journalWorkers }: OperationsOptions,
  regularBlocks: boolean,
): () => Promise<Status> {
  const startedAt = Date.now();
  return () =>
    statusReport({
      version,
      startedAt,
      chainId: link.rpc.chainId,
      relayer: transactions.sender.address,
      regularBlocks,
      inspect,
      proofCounts: () => journal.proofs.counts(),
      transactionsInFlight: () => transactions.countInFlight(),
      failedAnchors: async () => (await journal.anchors.failed()).length,
      divergences: () => telemetry.counts().divergences,
      isJournalFailing: () => telemetry.counts().isJournalFailing,
      lastReconciled: () => journalWorkers.lastReconciled(),
      replicaLag: () => journalWorkers.replicaLag(),
    });
}
