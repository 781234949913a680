import { ALL_ACCOUNTS, type ServiceLogLine, type SessionEvents } from "../sessions/index.ts";
import type { ChainEvents } from "../chain/events.ts";
import type { JournalEvents } from "../journal/events.ts";
import { OpenDivergences } from "../journal/findings/open-divergences.ts";
import { causeOf } from "../journal/findings/subject.ts";
import type { ProofEvents } from "../proofs/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { AlertTracker } from "./alert-tracker.ts";
import type { Logger } from "../kit/logger.ts";
import type { Metrics } from "./metrics.ts";
import { hex } from "../kit/bytes.ts";
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
  /** How the node's responses contradicted each other in the last minute. */
  readonly contradiction: string | undefined;
}

/** Subjects of alerts: proofs that wait for the chain too long, anchors that it rejects, and replicas that lag. */
export const ANCHORING = "anchoring";
const REJECTED = "rejected anchors";
const CHAIN = "chain";
const NETWORK = "network: ";
const CONTRADICTION = "contradiction";
/** Time without a contradiction after which the node is trusted again. */
const CONTRADICTION_MILLISECONDS = 60_000;

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
  const diverged = new OpenDivergences();
  let isJournalFailing = false;
  let contradiction: { readonly reason: string; readonly at: number } | undefined;
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
      deps.logger.info({ account }, `record ${rowId} stored`);
    },
    foreignRows(count, message) {
      deps.metrics.foreignWrites.inc(count);
      deps.alerts.raise("foreign_writes", message);
    },
    noForeignRows: () => deps.alerts.resolve("foreign_writes", "no further row of another writer for a day"),
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
    ...chainEvents(deps, serviceLog, journal, diverged),
    nodeContradicted(reason) {
      contradiction = { reason, at: performance.now() };
      deps.alerts.raise("node_down", `the chain's node is not trusted: ${reason}`, CONTRADICTION);
    },
    nodeConsistent() {
      if (contradiction !== undefined && performance.now() - contradiction.at < CONTRADICTION_MILLISECONDS) return;
      contradiction = undefined;
      deps.alerts.resolve("node_down", "no responses of the node contradict each other any more", CONTRADICTION);
    },
    counts: () => ({ divergences: diverged.size, isJournalFailing, contradiction: contradiction?.reason }),
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
    anchorFailed(hash, hashes, reason) {
      metrics.anchorFailures.inc();
      logger.error(
        { hash: hex(hash), hashes, reason },
        "the chain rejects an anchor; the server sends it again with increasing delays",
      );
    },
    anchorRejected: (hash, times, reason) =>
      alerts.raise(
        "degraded_performance",
        `the chain has rejected the anchor ${hex(hash)} ${times} times: ${reason}`,
        REJECTED,
      ),
    anchorsAccepted: () => alerts.resolve("degraded_performance", "the chain rejects no anchor any more", REJECTED),
    anchoringLate: (acceptedAt) =>
      alerts.raise(
        "degraded_performance",
        `proofs wait for the chain for too long: the oldest since ${new Date(acceptedAt).toUTCString()}`,
        ANCHORING,
      ),
    anchoringInTime: () =>
      alerts.resolve("degraded_performance", "no proof waits for the chain for too long", ANCHORING),
  };
}

const AGREES = "journal, replicas and chain agree again";

function journalEvents(
  { logger, metrics, alerts }: TelemetryDeps,
  serviceLog: ServiceLogWriter,
  diverged: OpenDivergences,
): JournalEvents {
  /** Makes the alert of a cause describe its divergences. */
  const showAlert = (cause: string): void => {
    const text = diverged.textOf(cause);
    if (text === undefined) alerts.resolve("journal_divergence", AGREES, cause);
    else alerts.raise("journal_divergence", text, cause);
  };
  return {
    journalFailing: (error) => logger.error({ err: error }, "the journal cannot be written"),
    journalProbed: () => undefined,
    journalDiverged(subject, message) {
      if (!diverged.add({ subject, message })) return;
      metrics.divergences.inc();
      logger.error({ divergence: subject, state: "raised" }, message);
      showAlert(causeOf(subject));
    },
    divergenceResolved(subject) {
      if (diverged.delete(subject)) logger.info({ divergence: subject, state: "resolved" }, AGREES);
      // The alert can be from before this start.
      showAlert(causeOf(subject));
    },
    divergenceAnnounced: (level, message) => serviceLog.broadcast(level, message),
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
    storageFailing: (reason) => alerts.raise("storage_failure", reason),
    storageRestored: () => alerts.resolve("storage_failure", "the journal can be written again"),
  };
}

function chainEvents(
  { metrics, alerts }: TelemetryDeps,
  serviceLog: ServiceLogWriter,
  { journalDiverged, divergenceResolved }: JournalEvents,
  diverged: OpenDivergences,
): Omit<ChainEvents, "nodeContradicted" | "nodeConsistent"> {
  return {
    chainRolledBack(transactions) {
      metrics.corrections.inc();
      diverged.delete(CHAIN);
      alerts.resolve("journal_divergence", "the chain is rolled back once more", CHAIN);
      const message = `the chain is older than the journal: ${transactions} transactions that it lost are sent again`;
      journalDiverged(CHAIN, message);
      serviceLog.broadcast("warn", message);
    },
    chainRecovered() {
      if (!alerts.lasts("journal_divergence", CHAIN)) return;
      divergenceResolved(CHAIN);
      serviceLog.broadcast("info", `${CHAIN}: ${AGREES}`);
    },
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
