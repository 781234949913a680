import type { SyncReplication } from "../journal/replication/sync-replication.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { JournalConfig } from "../config/config.ts";
import { HeadCheck } from "../journal/reconciliation/head-check.ts";
import { CheckpointAnchor } from "../journal/integrity/checkpoint-anchor.ts";
import type { HeadFile } from "../journal/integrity/head-file.ts";
import type { SegmentTarget } from "../journal/replication/segment-target.ts";
import { reconciliationStore } from "../journal/reconciliation/store.ts";
import type { Foundation } from "./foundation.ts";
import { createReconciler } from "./reconciliation.ts";
import { createReplicators, createSyncReplication } from "./replication.ts";

/** Checkpoints of the journal on chain, its replicas, and the comparison of all three. */
export interface JournalWorkers {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The wait of proof requests for a replica; `undefined` in the asynchronous mode. */
  readonly syncReplication: SyncReplication | undefined;
  /** Lag of the replica that lags most, in seconds; `null` without replicas. */
  replicaLag(): number | null;
  /** End of the last comparison with the chain, in Unix seconds. */
  lastReconciled(): Promise<number | null>;
}

export interface JournalWorkersOptions {
  readonly config: JournalConfig;
  /** The newest journal entry that this relayer has seen. */
  readonly headFile: HeadFile;
  readonly transactions: Transactions;
  /** Targets of the replicas. */
  readonly targets: readonly SegmentTarget[];
}

export function createJournalWorkers(
  foundation: Foundation,
  { config, headFile, transactions, targets }: JournalWorkersOptions,
): JournalWorkers {
  const { journal, proofAnchor: chain, database, signer, metrics, telemetry, logger, clock } = foundation;
  const checkpoints = new CheckpointAnchor({
    journal,
    chain,
    transactions,
    clock,
    intervalMilliseconds: config.checkpointIntervalMilliseconds,
    assertIntact: () => foundation.divergences.assertIntact(),
    onFailure: (err) => logger.warn({ err }, "the journal's digest could not be anchored"),
  });
  const replicators = createReplicators(foundation, config, targets);
  // Two relayers with one key do not share a journal.
  const store = reconciliationStore(database, signer.address);
  const reconciler = createReconciler(foundation, config, store, targets);
  const headCheck = new HeadCheck({
    file: headFile,
    store,
    entries: journal.entries,
    divergences: foundation.divergences,
    relayer: signer.address,
    mayBeNew: config.mayBeNew,
    intervalMilliseconds: config.reconcileIntervalMilliseconds,
    onFailure: (err) => logger.warn({ err }, "the journal could not be compared with what was seen of it"),
  });
  const lastReconciled = async (): Promise<number | null> => {
    const { passedAt } = await store.progress();
    return passedAt === undefined ? null : Math.floor(passedAt / 1000);
  };
  metrics.gauge(
    "sealbook_journal_entries",
    "Entries of the journal",
    async () => (await journal.entries.head()).sequence,
  );
  metrics.gauge(
    "sealbook_journal_checkpoint_lag_seconds",
    "Time since the journal's digest was anchored; 0 when there is nothing new in it",
    () => checkpoints.lagSeconds(),
  );
  metrics.gauge(
    "sealbook_journal_reconciled_timestamp_seconds",
    "When journal and chain were last compared",
    async () => (await lastReconciled()) ?? undefined,
  );
  const syncReplication = createSyncReplication(foundation, config, replicators);
  return {
    syncReplication,
    async start() {
      // Its alert can last from a start in the other mode.
      if (syncReplication === undefined) telemetry.replicaAvailable();
      await reconciler.start();
      // Nothing is signed before: a checkpoint of an older copy would stay.
      await headCheck.start();
      checkpoints.start();
      for (const replicator of replicators) replicator.start();
    },
    async stop() {
      await Promise.all([reconciler.stop(), checkpoints.stop(), ...replicators.map((replicator) => replicator.stop())]);
      await headCheck.stop();
    },
    replicaLag: () =>
      replicators.length === 0 ? null : Math.max(...replicators.map((replicator) => replicator.lag().seconds)),
    lastReconciled,
  };
}
