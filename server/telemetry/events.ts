import type { ServiceLogLine, Telemetry } from "../domain/ports.ts";
import type { Address } from "../domain/transaction.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

/** Where business events go. */
export interface TelemetryParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Keeps the lines that an account's holder is shown. */
  readonly serviceLog: (line: ServiceLogLine) => Promise<void>;
}

/** Counts of what only the running process knows. */
export interface EventCounts {
  /** Journal records that the chain contradicted when they were last looked at. */
  readonly divergences: number;
}

/** Business events as named functions; none of them throws. */
export function createTelemetry({ logger, metrics, serviceLog }: TelemetryParts): Telemetry & { counts(): EventCounts } {
  /** Recorded hashes, in hex. */
  const diverged = new Set<string>();
  let late = false;

  const tell = (level: ServiceLogLine["level"], account: Address, message: string): void => {
    logger[level]({ account }, message);
    serviceLog({ time: Date.now(), level, account, message }).catch((error: unknown) => {
      logger.error({ err: error }, "a line of the service log was lost");
    });
  };

  return {
    loggedIn(account) {
      metrics.logins.inc({ result: "accepted" });
      tell("info", account, "logged in");
    },
    loginRefused(login, isAccount) {
      metrics.logins.inc({ result: "refused" });
      // Lines are kept for accounts only: logins that anybody can invent must not fill the disk.
      if (isAccount) tell("warn", login, "login refused");
      else logger.warn({ account: login }, "login refused: no such account");
    },
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
      metrics.anchorsSetAside.inc();
      logger.error({ hash: Buffer.from(hash).toString("hex"), hashes, reason }, "the chain does not take an anchor; it is set aside");
    },
    anchoringLate(seconds) {
      if (late) return;
      late = true;
      logger.error({ alert: "degraded_performance", state: "raised", oldest_seconds: seconds }, "proofs wait too long for the chain");
    },
    anchoringInTime() {
      if (!late) return;
      late = false;
      logger.info({ alert: "degraded_performance", state: "resolved" }, "no proof waits too long for the chain any more");
    },
    journalFailing: (error) => logger.error({ err: error }, "the journal cannot be written"),
    journalDiverged(recordHash, message) {
      const hash = Buffer.from(recordHash).toString("hex");
      if (diverged.has(hash)) return;
      diverged.add(hash);
      metrics.divergences.inc();
      logger.error({ alert: "journal_divergence", state: "raised", record_hash: hash }, message);
    },
    journalAgreed(recordHash) {
      const hash = Buffer.from(recordHash).toString("hex");
      if (!diverged.delete(hash)) return;
      logger.info({ alert: "journal_divergence", state: "resolved", record_hash: hash }, "the chain confirms it again");
    },
    counts: () => ({ divergences: diverged.size }),
  };
}
