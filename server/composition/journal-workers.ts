import type { JournalConfig } from "../config/config.ts";
import type { SegmentTarget } from "../journal/replication/segment-target.ts";
import type { ReconciliationStore } from "../journal/reconciliation/divergence.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/clock.ts";
import type { Journal } from "./journal.ts";
import type { Telemetry } from "../operations/telemetry.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import { readSegments } from "../journal/replication/segment-reader.ts";
import type { Logger } from "../kit/logger.ts";
import { CheckpointAnchor } from "../journal/integrity/checkpoint-anchor.ts";
import { AnchorCheck } from "../journal/reconciliation/anchor-check.ts";
import { ConfirmationCheck } from "../journal/reconciliation/confirmation-check.ts";
import { EntryCheck } from "../journal/reconciliation/entry-check.ts";
import { Findings } from "../journal/reconciliation/findings.ts";
import { LeafCheck } from "../journal/reconciliation/leaf-check.ts";
import { Reconciler } from "../journal/reconciliation/reconciler.ts";
import { ReplicaCheck } from "../journal/reconciliation/replica-check.ts";
import { Replicator, type ReplicatorEvent, USUAL_RULES } from "../journal/replication/replicator.ts";

export interface JournalWorkersDeps {
  readonly config: JournalConfig;
  readonly journal: Journal;
  readonly reconciliation: ReconciliationStore;
  readonly chain: ProofAnchorClient;
  /** Where replicas of the journal are kept. */
  readonly targets: readonly SegmentTarget[];
  readonly transactions: Transactions;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** How far a replica is behind the journal. */
export interface ReplicaLag {
  readonly name: string;
  readonly seconds: number;
  readonly entries: number;
}

/** What keeps the journal beyond doubt, put together: its digests on chain, its replicas, and their comparison. */
export interface JournalKeeping {
  start(): Promise<void>;
  stop(): Promise<void>;
  lags(): ReplicaLag[];
  /** Seconds since the journal's digest was anchored, while there is something new in it. */
  checkpointLagSeconds(): number;
  /** When the last comparison with the chain ended, in Unix seconds. */
  lastReconciled(): Promise<number | null>;
}

export function createJournalWorkers(deps: JournalWorkersDeps): JournalKeeping {
  const { config, journal, reconciliation: store, chain, targets, transactions, telemetry, logger, clock } = deps;
  const checkpoints = new CheckpointAnchor({
    journal,
    chain,
    transactions,
    clock,
    intervalMilliseconds: config.checkpointIntervalMilliseconds,
    onFailure: (err) => logger.warn({ err }, "the journal's digest could not be anchored"),
  });

  const rules = {
    ...USUAL_RULES,
    intervalMilliseconds: config.replicaIntervalMilliseconds,
    lagLimitMilliseconds: config.replicaLagLimitMilliseconds,
  };
  const replicators = targets.map(
    (target) =>
      new Replicator(target, journal.entries, rules, clock, (event) =>
        tellOfReplica(target.name, event, telemetry, logger),
      ),
  );

  const findings = new Findings(store, telemetry, clock);
  const reconciler = new Reconciler({
    store,
    confirmations: new ConfirmationCheck({ store, entries: journal.entries, chain, findings, clock }),
    anchors: new AnchorCheck({ store, chain, findings }),
    entries: new EntryCheck({ store, entries: journal.entries, findings }),
    leaves: new LeafCheck({ store, proofs: journal.proofs, findings }),
    replica: new ReplicaCheck({
      entries: journal.entries,
      findings,
      onUnreachable: (replica, err) =>
        logger.warn({ err, replica }, "the replica could not be compared with the journal"),
    }),
    replicas: targets.map((target) => ({ name: target.name, segments: () => readSegments(target) })),
    findings,
    rules: {
      intervalMilliseconds: config.reconcileIntervalMilliseconds,
      fullIntervalMilliseconds: config.fullReconcileIntervalMilliseconds,
    },
    clock,
    onFailure: (err) => logger.warn({ err }, "journal and chain could not be compared"),
  });

  return {
    async start() {
      checkpoints.start();
      for (const replicator of replicators) replicator.start();
      await reconciler.start();
    },
    async stop() {
      await Promise.all([reconciler.stop(), checkpoints.stop(), ...replicators.map((replicator) => replicator.stop())]);
    },
    lags: () => replicators.map((replicator) => ({ name: replicator.name, ...replicator.lag() })),
    checkpointLagSeconds: () => checkpoints.lagSeconds(),
    async lastReconciled() {
      const { passedAt } = await store.progress();
      return passedAt === undefined ? null : Math.floor(passedAt / 1000);
    },
  };
}

function tellOfReplica(name: string, event: ReplicatorEvent, telemetry: Telemetry, logger: Logger): void {
  switch (event.kind) {
    case "shipped":
      logger.debug(
        { replica: name, segment: event.segment, first: event.first, last: event.last },
        "a segment of the journal was shipped",
      );
      return;
    case "failing":
      logger.warn({ replica: name, err: event.error }, "the replica's target does not answer; it will catch up");
      return;
    case "recovered":
      logger.info({ replica: name }, "the replica goes on");
      telemetry.journalAgreed(`replication ${name}`);
      return;
    case "lagging":
      telemetry.replicaLagging(name, event.seconds, event.entries);
      return;
    case "caught_up":
      telemetry.replicaCaughtUp(name);
      return;
    case "diverged":
      telemetry.journalDiverged(`replication ${name}`, `nothing is shipped to the replica ${name}: ${event.reason}`);
  }
}
