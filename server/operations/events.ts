import { EVERYBODY, type ServiceLogLine } from "../sessions/index.ts";
import type { Telemetry } from "./telemetry.ts";
import type { Address } from "../chain/transaction.ts";
import type { AlertTracker } from "./alert-tracker.ts";
import type { Logger } from "../kit/logger.ts";
import type { Metrics } from "./metrics.ts";
import { hex } from "../kit/hex.ts";

/** What a chain that came back older is told of as. */
const CHAIN = "chain";

/** Where business events go. */
export interface TelemetryDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly alerts: AlertTracker;
  /** Keeps the lines that an account's holder is shown. */
  readonly serviceLog: (line: ServiceLogLine) => Promise<void>;
}

/** What alerts are about. */
const ANCHORING = "anchoring";
const NETWORK = "network: ";

/** Counts of what only the running process knows. */
export interface EventCounts {
  /** Journal records that the chain contradicted when they were last looked at. */
  readonly divergences: number;
}

/** Business events as named functions; none of them throws. */
export function createTelemetry({
  logger,
  metrics,
  alerts,
  serviceLog,
}: TelemetryDeps): Telemetry & { counts(): EventCounts } {
  /** What they are about. */
  const diverged = new Set<string>();

  const tell = (level: ServiceLogLine["level"], account: Address, message: string): void => {
    logger[level]({ account }, message);
    serviceLog({ time: Date.now(), level, account, message }).catch((error: unknown) => {
      logger.error({ err: error }, "a line of the service log was lost");
    });
  };

  /** The synchronisation between journal and chain concerns whoever has an account. */
  const toEverybody = (level: ServiceLogLine["level"], message: string): void => {
    serviceLog({ time: Date.now(), level, account: EVERYBODY, message }).catch((error: unknown) => {
      logger.error({ err: error }, "a line of the service log was lost");
    });
  };

  const events: Telemetry & { counts(): EventCounts } = {
    loggedIn(account) {
      metrics.logins.inc({ result: "accepted" });
      tell("info", account, "logged in");
    },
    loginRefused(login, isAccount) {
      metrics.logins.inc({ result: "refused" });
      // Lines are kept for accounts only: logins that anybody can invent must not fill the disk.
      // It is written after the answer: how long that takes must not say that there is such an account.
      if (isAccount) setImmediate(() => tell("warn", login, "login refused"));
      else logger.warn({ account: login }, "login refused: no such account");
    },
    loginsLockedOut: (who, seconds) => logger.warn({ who, seconds }, "logins are locked out"),
    loginBlocked: () => metrics.logins.inc({ result: "locked_out" }),
    sessionChanged: (account, change) => tell("info", account, `session ${change}`),
    recordStored(account, rowId) {
      metrics.recordsStored.inc();
      tell("info", account, `record ${rowId} stored`);
    },
    proofsAccepted: (count) => metrics.proofsAccepted.inc(count),
    proofConfirmed: (seconds) => metrics.proofConfirmation.observe(seconds),
    batchClosed: (size) => metrics.batchSize.observe(Math.max(1, size)),
    anchorSplit: (hashes, reason) => logger.warn({ hashes, reason }, "the chain does not take a batch; it is halved"),
    anchorFailed(hash, hashes, reason) {
      metrics.anchorFailures.inc();
      logger.error({ hash: hex(hash), hashes, reason }, "the chain does not take an anchor; it is set aside");
    },
    anchoringLate: (seconds) =>
      alerts.raise(
        "degraded_performance",
        `proofs wait too long for the chain: the oldest for ${Math.round(seconds)} s`,
        ANCHORING,
      ),
    anchoringInTime: () =>
      alerts.resolve("degraded_performance", "no proof waits too long for the chain any more", ANCHORING),
    journalFailing: (error) => logger.error({ err: error }, "the journal cannot be written"),
    journalDiverged(subject, message, isNews = true) {
      if (diverged.has(subject)) return;
      diverged.add(subject);
      metrics.divergences.inc();
      alerts.raise("journal_divergence", message, subject);
      if (isNews) toEverybody("warn", message);
    },
    divergenceResolved(subject, isNews = true) {
      // One that lasts since before this process is known to the alerts only.
      if (!diverged.delete(subject) && !alerts.lasts("journal_divergence", subject)) return;
      alerts.resolve("journal_divergence", "journal, replicas and chain agree on it again", subject);
      if (isNews) toEverybody("info", `${subject}: journal, replicas and chain agree again`);
    },
    journalCorrected(message) {
      metrics.corrections.inc();
      logger.warn(message);
      toEverybody("warn", message);
    },
    chainRolledBack(transactions) {
      metrics.corrections.inc();
      diverged.delete(CHAIN);
      alerts.resolve("journal_divergence", "the chain has gone back once more", CHAIN);
      events.journalDiverged(
        CHAIN,
        `the chain is older than the journal: ${transactions} transactions that it lost are sent again`,
      );
    },
    chainRecovered: () => events.divergenceResolved(CHAIN),
    replicaLagging: (name, seconds, entries) =>
      alerts.raise(
        "degraded_performance",
        `the replica ${name} is ${Math.round(seconds)} s and ${entries} entries behind the journal`,
        `replica ${name}`,
      ),
    replicaCaughtUp: (name) =>
      alerts.resolve("degraded_performance", "the replica has caught up with the journal", `replica ${name}`),
    nodeDown: (reason) => alerts.raise("node_down", reason),
    nodeUp: () => alerts.resolve("node_down", "the chain's node answers again"),
    syncLost: (reason) => alerts.raise("sync_lost", reason),
    syncRegained: () => alerts.resolve("sync_lost", "the node is where the network is again"),
    networkFaults: (faults) => alerts.keep(NETWORK, faults, "the network has it no more"),
    counts: () => ({ divergences: diverged.size }),
  };
  return events;
}
