import type { Database } from "../journal/engine/database.ts";
import type { Clock } from "../kit/time.ts";
import type { Logger } from "../kit/logger.ts";
import type { AlertStore } from "../operations/alert.ts";
import { alertStore, BufferedAlertStore } from "../operations/alert-store.ts";
import { AlertTracker } from "../operations/alert-tracker.ts";
import { createTelemetry, type ServerTelemetry } from "../operations/telemetry.ts";
import { Metrics } from "../operations/metrics.ts";
import type { Journal } from "./journal.ts";

/** Logger, metrics, alerts and events. They come before every other part: each part registers its own metrics. */
export interface Monitoring {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly alerts: AlertTracker;
  readonly alertStore: AlertStore;
  readonly telemetry: ServerTelemetry;
}

export interface MonitoringDeps {
  readonly version: string;
  readonly database: Database;
  /** Has the service log. */
  readonly journal: Journal;
  readonly logger: Logger;
  readonly clock: Clock;
}

export function createMonitoring({ version, database, journal, logger, clock }: MonitoringDeps): Monitoring {
  const store = new BufferedAlertStore(alertStore(database));
  const alerts = new AlertTracker(store, logger, clock);
  const metrics = new Metrics(version);
  metrics.gaugeBy("alert", "sealbook_alerts_active", "Alerts that last", () => alerts.counts());
  const telemetry = createTelemetry({
    logger,
    metrics,
    alerts,
    serviceLog: (line) => journal.atomically((atomic) => atomic.serviceLog.append(line)),
  });
  return { logger, metrics, alerts, alertStore: store, telemetry };
}
