import { ALL_ACCOUNTS, type ServiceLogLine, type SessionEvents } from "../sessions/index.ts";
import type { ChainEvents } from "../chain/events.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { ProofEvents } from "../proofs/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { AlertTracker } from "./alert-tracker.ts";
import type { Logger } from "../kit/logger.ts";
import type { Metrics } from "./metrics.ts";
import { hex } from "../kit/hex.ts";
import type { RecordEvents } from "../records/index.ts";

/** Every business event of the server. */
export type Telemetry = SessionEvents & RecordEvents & ProofEvents & JournalEvents & ChainEvents;

/** Receivers of business events. */
export interface TelemetryDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly alerts: AlertTracker;
  /** Stores the log lines that account holders can read. */
  readonly serviceLog: (line: ServiceLogLine) => Promise<void>;
}

/** Counts since the start of the process. */
export interface EventCounts {
  /** Divergences that last. */
  readonly divergences: number;
  /** Whether the last write to the journal failed. */
  readonly isJournalFailing: boolean;
}

/** Subjects of alerts: proofs that wait for the chain too long, and replicas that lag. */
export const ANCHORING = "anchoring";
const REPLICATION = "replication";
const CHAIN = "chain";
const NETWORK = "network: ";

/** Business events of the server, and their state. */
export interface ServerTelemetry extends Telemetry {
  counts(): EventCounts;
  /** Waits until every service log line so far is stored. */
  flush(): Promise<void>;
}

/** Writes log lines that account holders can read. */
interface ServiceLogWriter {
  /** Writes a line for one account, also to the server's log. */
  write(level: ServiceLogLine["level"], account: Address, message: string): void;
  /** Writes a line for every account. */
  broadcast(level: ServiceLogLine["level"], message: string): void;
  /** Waits until every line so far is stored. */
  flush(): Promise<void>;
}

/** Returns the business events of the server as functions that log, count and raise alerts. None of them throws. */
export function createTelemetry(deps: TelemetryDeps): ServerTelemetry {
  const serviceLog = serviceLogWriter(deps);
  const diverged = new Set<string>();
  let isJournalFailing = false;
  const journal = journalEvents(deps, serviceLog, diverged);
  const proofs = proofEvents(deps);
  const journalFailing = (error: unknown): void => {
    isJournalFailing = true;
    journal.journalFailing(error);
  };
  return {
    ...sessionEvents(deps, serviceLog),
    recordStored(account, rowId) {
      deps.metrics.recordsStored.inc();
      serviceLog.write("info", account, `record ${rowId} stored`);
    },
    recordsAltered(cause, count, message) {
      deps.metrics.foreignWrites.inc({ cause }, count);
      deps.alerts.update("foreign_writes", message, cause);
    },
    recordsUndisturbed: (cause) =>
      deps.alerts.resolve("foreign_writes", "no further write past this server for a day", cause),
    ...proofs,
    proofsAccepted(count) {
      isJournalFailing = false;
      proofs.proofsAccepted(count);
    },
    ...journal,
    journalFailing,
    journalProbed(error) {
      if (error === undefined) isJournalFailing = false;
      else if (!isJournalFailing) journalFailing(error);
    },
    ...chainEvents(deps, journal, diverged),
    counts: () => ({ divergences: diverged.size, isJournalFailing }),
    flush: () => serviceLog.flush(),
  };
}

function serviceLogWriter({ logger, serviceLog }: TelemetryDeps): ServiceLogWriter {
  const writes = new Set<Promise<void>>();
  const append = (level: ServiceLogLine["level"], account: Address, message: string): void => {
    const write = serviceLog({ time: Date.now(), level, account, message })
      .catch((error: unknown) => {
        logger.error({ err: error, account }, "a line of the service log could not be stored and is lost");
      })
      .finally(() => writes.delete(write));
    writes.add(write);
  };
  return {
    write(level, account, message) {
      logger[level]({ account }, message);
      append(level, account, message);
    },
    broadcast: (level, message) => append(level, ALL_ACCOUNTS, message),
    async flush() {
      await Promise.all(writes);
    },
  };
}

function sessionEvents({ logger, metrics }: TelemetryDeps, serviceLog: ServiceLogWriter): SessionEvents {
  return {
    loggedIn(account) {
      metrics.logins.inc({ result: "accepted" });
      serviceLog.write("info", account, "logged in");
    },
    loginRefused(login, isAccount) {
      metrics.logins.inc({ result: "refused" });
      // Only accounts get lines: invented logins must not fill the disk. The line is written after the response, whose
      // time must not show that the account exists.
      if (isAccount) setImmediate(() => serviceLog.write("warn", login, "login refused"));
      else logger.warn({ account: login }, "login refused: no such account");
    },
    loginsLockedOut: (who, seconds) => logger.warn({ who, seconds }, "logins are locked out"),
    loginBlocked: () => metrics.logins.inc({ result: "locked_out" }),
    sessionChanged: (account, change) => serviceLog.write("info", account, `session ${change}`),
  };
}

function proofEvents({ logger, metrics, alerts }: TelemetryDeps): ProofEvents {
  return {
    proofsAccepted: (count) => metrics.proofsAccepted.inc(count),
    proofConfirmed: (seconds) => metrics.proofConfirmation.observe(seconds),
    batchClosed: (size) => metrics.batchSize.observe(Math.max(1, size)),
    anchorSplit: (hashes, reason) => logger.warn({ hashes, reason }, "the chain rejects a batch; the batch is split"),
    anchorFailed(hash, hashes, reason) {
      metrics.anchorFailures.inc();
      logger.error(
        { hash: hex(hash), hashes, reason },
        "the chain rejects an anchor that cannot be split; the server retries it with increasing delays",
      );
    },
    anchoringLate: (seconds) =>
      alerts.raise(
        "degraded_performance",
        `proofs wait for the chain longer than ANCHOR_DEADLINE: the oldest for ${Math.round(seconds)} s`,
        ANCHORING,
      ),
    anchoringInTime: () =>
      alerts.resolve("degraded_performance", "no proof waits for the chain longer than ANCHOR_DEADLINE", ANCHORING),
  };
}

/** Maximum number of alerts of one cause: further divergences of it share one alert. */
const MAX_ALERTS_PER_CAUSE = 10;

const AGREES = "journal, replicas and chain agree again";

/** Returns the subject of the alert for further divergences of a cause. */
function othersOf(cause: string): string {
  return `${cause}: others`;
}

/** Returns the kind of what diverges, such as `anchor`. */
function causeOf(subject: string): string {
  return /^[a-z]+/.exec(subject)?.[0] ?? subject;
}

/** @param diverged Subjects of the divergences that last */
function journalEvents(
  { logger, metrics, alerts }: TelemetryDeps,
  serviceLog: ServiceLogWriter,
  diverged: Set<string>,
): JournalEvents {
  /** Divergences without an alert of their own, by cause. */
  const others = new Map<string, Set<string>>();
  return {
    journalFailing: (error) => logger.error({ err: error }, "the journal cannot be written"),
    journalProbed: () => undefined,
    journalDiverged(subject, message, isNews = true) {
      if (diverged.has(subject)) return;
      diverged.add(subject);
      metrics.divergences.inc();
      const cause = causeOf(subject);
      const alike = alerts.subjects("journal_divergence").filter((each) => causeOf(each) === cause);
      if (alike.includes(subject) || alike.length < MAX_ALERTS_PER_CAUSE) {
        alerts.raise("journal_divergence", message, subject);
        if (isNews) serviceLog.broadcast("warn", message);
        return;
      }
      const further = others.get(cause) ?? new Set();
      others.set(cause, further.add(subject));
      const text = `more than ${MAX_ALERTS_PER_CAUSE} divergences of ${cause}; the status has their number`;
      if (further.size === 1 && isNews) serviceLog.broadcast("warn", text);
      alerts.raise("journal_divergence", text, othersOf(cause));
    },
    divergenceResolved(subject, isNews = true) {
      const cause = causeOf(subject);
      const further = others.get(cause);
      const hadNoAlert = further?.delete(subject) === true;
      if ((further?.size ?? 0) === 0) alerts.resolve("journal_divergence", AGREES, othersOf(cause));
      // Only the alerts have divergences from before this start.
      const isKnown = diverged.delete(subject) || alerts.lasts("journal_divergence", subject);
      if (!isKnown || hadNoAlert) return;
      alerts.resolve("journal_divergence", AGREES, subject);
      if (isNews) serviceLog.broadcast("info", `${subject}: ${AGREES}`);
    },
    journalCorrected(message) {
      metrics.corrections.inc();
      logger.warn(message);
      serviceLog.broadcast("warn", message);
    },
    replicaLagging: (name, seconds, entries) =>
      alerts.raise(
        "degraded_performance",
        `the replica ${name} lags ${Math.round(seconds)} s and ${entries} entries; ` +
          "check its target in REPLICA_TARGETS",
        `replica ${name}`,
      ),
    replicaCaughtUp: (name) =>
      alerts.resolve("degraded_performance", `the replica ${name} has caught up with the journal`, `replica ${name}`),
    replicaUnavailable: () =>
      alerts.raise(
        "degraded_performance",
        "no replica takes new entries, and REPLICA_MODE=sync requires one: proofs are refused; " +
          "check the targets in REPLICA_TARGETS",
        REPLICATION,
      ),
    replicaAvailable: () =>
      alerts.resolve("degraded_performance", "a replica takes new entries again; proofs are accepted", REPLICATION),
    storageFailing: (reason) => alerts.raise("storage_failure", reason),
    storageRestored: () => alerts.resolve("storage_failure", "the journal can be written again"),
  };
}

function chainEvents(
  { metrics, alerts }: TelemetryDeps,
  { journalDiverged, divergenceResolved }: JournalEvents,
  diverged: Set<string>,
): ChainEvents {
  return {
    chainRolledBack(transactions) {
      metrics.corrections.inc();
      diverged.delete(CHAIN);
      alerts.resolve("journal_divergence", "the chain is rolled back once more", CHAIN);
      journalDiverged(
        CHAIN,
        `the chain is older than the journal: ${transactions} transactions that it lost are sent again`,
      );
    },
    chainRecovered: () => divergenceResolved(CHAIN),
    nodeDown: (reason) => alerts.raise("node_down", reason),
    nodeUp: () => alerts.resolve("node_down", "the chain's node responds again"),
    wrongChain: (reason) => alerts.raise("wrong_chain", reason),
    rightChain: () => alerts.resolve("wrong_chain", "the chain's node serves the journal's chain again"),
    clockSkewed: (reason) => alerts.raise("clock_skew", reason),
    clockRight: () => alerts.resolve("clock_skew", "the clock of this machine and the blocks agree again"),
    syncLost: (reason) => alerts.raise("sync_lost", reason),
    syncRegained: () => alerts.resolve("sync_lost", "the node is in sync with its network again"),
    networkFaults: (faults) => alerts.replaceGroup(NETWORK, faults, "the network does not have this fault any more"),
  };
}
