import { deploymentName } from "../chain/contracts/deployment.ts";
import { replicaObjects } from "../journal/replication/replica-reader.ts";
import { DEFAULT_RULES, Replicator, type ReplicatorEvent } from "../journal/replication/replicator.ts";
import type { Context } from "./context.ts";
import type { Records } from "./records.ts";
import type { RelayerTransactions } from "./transactions.ts";
import { Repairs } from "../journal/check/repairs.ts";
import { JournalWatch } from "../journal/check/watch.ts";
import { CheckpointAnchor } from "../journal/integrity/checkpoint-anchor.ts";

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

/** Builds the regular check of journal, replicas and chain. */
function createWatch(
  context: Context,
  replicators: readonly Replicator[],
  { check: checkRecords }: Pick<Records, "check">,
): JournalWatch {
  const { config, opened, replicas, database, proofAnchor: chain, findings, logger, clock } = context;
  const { journalKey: key } = opened;
  const relayer = config.relayers?.self ?? context.signer.address;
  const onCorrected = (message: string): void => context.telemetry.journalCorrected(message);
  return new JournalWatch({
    database,
    key,
    memory: opened.journal.memory,
    chain,
    findings,
    relayer,
    relayers: [relayer, ...(opened.relayers?.peers.addresses.keys() ?? [])],
    repairs: context.isLeader ? new Repairs({ database, key, chain, onCorrected }) : undefined,
    replicas: replicas.stores.map((store, index) => ({
      name: store.name,
      replicated: () => replicators[index]?.replicated ?? 0,
      objects: () => replicaObjects(store, key),
    })),
    rules: {
      intervalMilliseconds: config.journal.reconcileIntervalMilliseconds,
      completeIntervalMilliseconds: config.journal.fullReconcileIntervalMilliseconds,
    },
    checkRecords,
    clock,
    readAcknowledged: () => findings.readAcknowledged(context.entryVerifier.begin()),
    onFailure: (what, err) => logger.warn({ err }, `${what}: it could not be compared; the server retries`),
    onProgress: (entry, newest) => logger.info({ entry, newest }, "the journal is compared with what was seen of it"),
  });
}

export type JournalWorkers = ReturnType<typeof createJournalWorkers>;

/** Builds the checkpoints of the journal on chain, its replicas, and the comparison of all three. */
export function createJournalWorkers(
  context: Context,
  { sender: transactions }: RelayerTransactions,
  records: Pick<Records, "check">,
) {
  const { journal, proofAnchor: chain, metrics, logger, clock } = context;
  const { journal: config } = context.config;
  const checkpoints = new CheckpointAnchor({
    journal,
    chain,
    transactions,
    clock,
    intervalMilliseconds: config.checkpointIntervalMilliseconds,
    assertIntact: () => context.findings.assertIntact(),
    onFailure: (err) => logger.warn({ err }, "the journal's digest could not be anchored"),
  });
  const replicators = createReplicators(context);
  const watch = createWatch(context, replicators, records);
  const lastReconciled = (): number | undefined =>
    watch.comparedAt === undefined ? undefined : Math.floor(watch.comparedAt / 1000);
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
    lastReconciled,
  );
  return {
    /**
     * Follows the journal from what this relayer has seen of it. A leader appends and signs nothing before: what it
     * signs for an older copy, or for a history that was rewritten meanwhile, would stay.
     */
    async follow(): Promise<void> {
      const { session } = context.opened.leadership;
      session?.lost.addEventListener("abort", () => watch.abandon());
      if (session?.lost.aborted) watch.abandon();
      await watch.start(context.isLeader);
    },
    /** Starts what only a leader does. */
    lead(): void {
      checkpoints.start();
      for (const replicator of replicators) replicator.start();
    },
    /** Whether the journal was followed since the start. */
    hasFollowed: () => watch.hasFollowed,
    lateSince: (limitMilliseconds: number) => watch.lateSince(limitMilliseconds),
    /** Ends {@link follow}, which fails then. */
    abandonFollowing: () => watch.abandon(),
    stopFollowing: () => watch.stop(),
    async stopLeading(): Promise<void> {
      const timer = setTimeout(() => context.replicas.stop.abort(), REPLICA_STOP_MILLISECONDS).unref();
      await Promise.all([checkpoints.stop(), ...replicators.map((replicator) => replicator.stop())]);
      clearTimeout(timer);
    },
    /** Returns the lag of the replica that lags most, in seconds; `null` without replicas. */
    replicaLag: (): number | null =>
      replicators.length === 0 ? null : Math.max(...replicators.map((replicator) => replicator.lag().seconds)),
    /** Returns when journal and chain were last compared, in Unix seconds. */
    lastReconciled,
  };
}
