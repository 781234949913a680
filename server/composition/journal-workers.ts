import { deploymentName } from "../chain/contracts/deployment.ts";
import { replicaObjects } from "../journal/replication/replica-reader.ts";
import { DEFAULT_RULES, Replicator, type ReplicatorEvent } from "../journal/replication/replicator.ts";
import type { Context } from "./context.ts";
import type { RelayerTransactions } from "./transactions.ts";
import { AnchorCheck } from "../journal/reconciliation/anchor-check.ts";
import { ConfirmationCheck } from "../journal/reconciliation/confirmation-check.ts";
import type { ReconciliationStore } from "../journal/reconciliation/divergence.ts";
import { EntryCheck } from "../journal/reconciliation/entry-check.ts";
import { LeafCheck } from "../journal/reconciliation/leaf-check.ts";
import { Reconciler } from "../journal/reconciliation/reconciler.ts";
import { ReplicaCheck } from "../journal/reconciliation/replica-check.ts";
import { HeadCheck } from "../journal/reconciliation/head-check.ts";
import { CheckpointAnchor } from "../journal/integrity/checkpoint-anchor.ts";
import { reconciliationStore } from "../journal/reconciliation/store.ts";

/** How long a request to a bucket may still take when the server stops. */
const REPLICA_STOP_MILLISECONDS = 5_000;

/** Builds a replicator for each target, and registers the metrics of their lag. */
function createReplicators(context: Context): readonly Replicator[] {
  const { journal, metrics, steadyClock } = context;
  const { journal: config } = context.config;
  const rules = {
    ...DEFAULT_RULES,
    intervalMilliseconds: config.replicaIntervalMilliseconds,
    lagLimitMilliseconds: config.replicaLagLimitMilliseconds,
  };
  const { link, journalKey } = context.opened;
  const name = deploymentName(link.deployment);
  const named = { journal: name, nameCode: journalKey.codeOfName(name) };
  const replicators = context.replicas.stores.map(
    (store) =>
      new Replicator(store, named, journal.entries, rules, steadyClock, (event) =>
        reportReplica(context, store.name, event),
      ),
  );
  metrics.gauge("sealbook_replicas", "Targets that the journal is replicated to", () => replicators.length);
  metrics.gaugeBy(
    "replica",
    "sealbook_replica_lag_seconds",
    "Age of the oldest journal entry that a replica does not have",
    () => replicators.map((replicator) => [replicator.name, replicator.lag().seconds]),
  );
  metrics.gaugeBy("replica", "sealbook_replica_lag_entries", "Journal entries that a replica does not have", () =>
    replicators.map((replicator) => [replicator.name, replicator.lag().entries]),
  );
  return replicators;
}

function reportReplica({ telemetry, logger }: Context, name: string, event: ReplicatorEvent): void {
  switch (event.kind) {
    case "stored":
      logger.debug({ replica: name, first: event.first, last: event.last }, "rows of the journal were replicated");
      return;
    case "failing":
      logger.warn({ replica: name, err: event.error }, "the replica's target does not respond; the server retries");
      return;
    case "recovered":
      logger.info({ replica: name }, "the replica's target responds again");
      return;
    case "agreed":
      telemetry.divergenceResolved(`replication ${name}`);
      return;
    case "lagging":
      telemetry.replicaLagging(name, event.seconds, event.entries);
      return;
    case "caught_up":
      telemetry.replicaCaughtUp(name);
      return;
    case "diverged":
      telemetry.journalDiverged(`replication ${name}`, `nothing is replicated to ${name}: ${event.reason}`);
  }
}

/** Builds the regular comparison of journal, replicas and chain. */
function createReconciler(
  {
    config,
    opened,
    replicas,
    database,
    journal,
    proofAnchor: chain,
    entryVerifier: verifier,
    divergences,
    logger,
    clock,
  }: Context,
  store: ReconciliationStore,
  replicators: readonly Replicator[],
): Reconciler {
  return new Reconciler({
    store,
    confirmations: new ConfirmationCheck({ store, chain, divergences, clock }),
    anchors: new AnchorCheck({ store, chain, divergences }),
    entries: new EntryCheck({ database, key: opened.journalKey, divergences }),
    leaves: new LeafCheck({ store, proofs: journal.proofs, divergences }),
    replica: new ReplicaCheck({
      entries: journal.entries,
      divergences,
      onUnreachable: (replica, err) =>
        logger.warn({ err, replica }, "a replica could not be compared with the journal; the next comparison retries"),
    }),
    replicas: replicas.stores.map((store, index) => ({
      name: store.name,
      replicated: () => replicators[index]?.replicated ?? 0,
      objects: () => replicaObjects(store, opened.journalKey),
    })),
    divergences,
    verifier,
    rules: {
      intervalMilliseconds: config.journal.reconcileIntervalMilliseconds,
      fullIntervalMilliseconds: config.journal.fullReconcileIntervalMilliseconds,
    },
    clock,
    onFailure: (err) => logger.warn({ err }, "journal and chain could not be compared; the server retries"),
  });
}

export type JournalWorkers = ReturnType<typeof createJournalWorkers>;

/** Builds the checkpoints of the journal on chain, its replicas, and the comparison of all three. */
export function createJournalWorkers(context: Context, { sender: transactions }: RelayerTransactions) {
  const { journal, proofAnchor: chain, database, signer, metrics, logger, clock } = context;
  const { journal: config } = context.config;
  const checkpoints = new CheckpointAnchor({
    journal,
    chain,
    transactions,
    clock,
    intervalMilliseconds: config.checkpointIntervalMilliseconds,
    assertIntact: () => context.divergences.assertIntact(),
    onFailure: (err) => logger.warn({ err }, "the journal's digest could not be anchored"),
  });
  const replicators = createReplicators(context);
  const store = reconciliationStore(database, context.opened.journalKey);
  const reconciler = createReconciler(context, store, replicators);
  const headCheck = new HeadCheck({
    memory: context.opened.journal.memory,
    database,
    key: context.opened.journalKey,
    entries: journal.entries,
    divergences: context.divergences,
    relayer: context.config.relayers?.self ?? signer.address,
    intervalMilliseconds: config.reconcileIntervalMilliseconds,
    readAcknowledged: () => context.divergences.readAcknowledged(context.entryVerifier.begin()),
    onFailure: (err) => logger.warn({ err }, "the journal could not be compared with what was seen of it"),
    onProgress: (entry, newest) => logger.info({ entry, newest }, "the journal is compared with what was seen of it"),
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
  return {
    /**
     * Follows the journal from what this relayer has seen of it. A leader appends and signs nothing before: what it
     * signs for an older copy, or for a history that was rewritten meanwhile, would stay.
     */
    async follow(): Promise<void> {
      const { session } = context.opened.leadership;
      session?.lost.addEventListener("abort", () => headCheck.abandon());
      if (context.isLeader) await context.divergences.refresh(context.entryVerifier.begin());
      if (session?.lost.aborted) headCheck.abandon();
      await headCheck.start(context.isLeader);
    },
    /** Starts what only a leader does. */
    lead(): void {
      reconciler.start();
      checkpoints.start();
      for (const replicator of replicators) replicator.start();
    },
    /** Whether the journal was followed since the start. */
    hasFollowed: () => headCheck.hasFollowed,
    /** Ends {@link follow}, which fails then. */
    abandonFollowing: () => headCheck.abandon(),
    stopFollowing: () => headCheck.stop(),
    async stopLeading(): Promise<void> {
      const timer = setTimeout(() => context.replicas.stop.abort(), REPLICA_STOP_MILLISECONDS).unref();
      await Promise.all([reconciler.stop(), checkpoints.stop(), ...replicators.map((replicator) => replicator.stop())]);
      clearTimeout(timer);
    },
    /** Returns the lag of the replica that lags most, in seconds; `null` without replicas. */
    replicaLag: (): number | null =>
      replicators.length === 0 ? null : Math.max(...replicators.map((replicator) => replicator.lag().seconds)),
    /** Returns the end of the last comparison with the chain, in Unix seconds. */
    lastReconciled,
  };
}
