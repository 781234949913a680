import type { AlertConfig } from "../config/config.ts";
import type { AlertStore } from "../operations/alert.ts";
import type { Clock } from "../kit/clock.ts";
import type { NodeInspector } from "../chain/node/node-report.ts";
import type { ServiceLogLine } from "../sessions/service-log.ts";
import { STALE_BLOCK_SECONDS } from "../operations/status.ts";
import { AlertTracker } from "../operations/alert-tracker.ts";
import { createTelemetry } from "../operations/events.ts";
import type { Logger } from "../kit/logger.ts";
import { createMetrics, type Metrics, type MetricSources } from "../operations/metrics.ts";
import { AlertWebhook } from "../operations/alert-webhook.ts";
import { NodeMonitor } from "../operations/node-monitor.ts";

export interface OperationsDeps {
  readonly config: AlertConfig;
  readonly sources: Omit<MetricSources, "alerts">;
  readonly alerts: AlertStore;
  readonly inspect: NodeInspector;
  /** Whether the chain makes blocks when there is nothing to put into them. */
  readonly regularBlocks: boolean;
  readonly nodeLookMilliseconds: number | undefined;
  readonly serviceLog: (line: ServiceLogLine) => Promise<void>;
  /** Where this server is reached: what its alerts come from. */
  readonly instance: () => string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What tells people how the server fares, put together: metrics, events, alerts and who is told of them. */
export interface Monitoring {
  readonly metrics: Metrics;
  readonly telemetry: ReturnType<typeof createTelemetry>;
  /** Has somebody told of every alert that is raised or resolved. */
  onAlert(listener: () => void): void;
  /** Takes up the alerts that lasted when the server ended. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Looks at the chain's node, and tells the receivers of alerts; stopped by itself, before what it looks at. */
  readonly watching: { start(): void; stop(): Promise<void> };
}

export function createOperations(deps: OperationsDeps): Monitoring {
  const { config, sources, inspect, regularBlocks, nodeLookMilliseconds, serviceLog, instance, logger, clock } = deps;
  const alerts = new AlertTracker(deps.alerts, logger, clock);
  const metrics = createMetrics({ ...sources, alerts: () => alerts.counts() });
  const webhooks = config.webhooks.map(
    (url, index) =>
      new AlertWebhook({
        url,
        secret: config.webhookSecret,
        store: deps.alerts,
        instance,
        clock,
        onFailure: (reason) =>
          logger.warn({ webhook: index + 1, reason }, "a receiver of alerts cannot be told; it will be"),
      }),
  );
  alerts.subscribe(() => webhooks.forEach((webhook) => webhook.wake()));
  const telemetry = createTelemetry({ logger, metrics, alerts, serviceLog });
  const nodeWatch = new NodeMonitor({
    inspect,
    telemetry,
    regularBlocks,
    staleSeconds: STALE_BLOCK_SECONDS,
    lookMilliseconds: nodeLookMilliseconds,
  });
  return {
    metrics,
    telemetry,
    onAlert: (listener) => alerts.subscribe(listener),
    start: () => alerts.start(),
    stop: () => alerts.stop(),
    watching: {
      start() {
        nodeWatch.start();
        for (const webhook of webhooks) webhook.start();
      },
      async stop() {
        await Promise.all(webhooks.map((webhook) => webhook.stop()));
        await nodeWatch.stop();
      },
    },
  };
}
