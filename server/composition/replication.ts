import type { SegmentTarget } from "../journal/replication/segment-target.ts";
import { Replicator, type ReplicatorEvent, DEFAULT_RULES } from "../journal/replication/replicator.ts";
import { SyncReplication } from "../journal/replication/sync-replication.ts";
import type { JournalConfig } from "../config/config.ts";
import type { Foundation } from "./foundation.ts";

/** Delays before retries while requests wait for a replica. */
const SYNC_RETRY = { firstMilliseconds: 250, longestMilliseconds: 5_000 };

/** Builds a replicator for each target, and registers the metrics of their lag. */
export function createReplicators(
  foundation: Foundation,
  config: JournalConfig,
  targets: readonly SegmentTarget[],
): readonly Replicator[] {
  const { journal, metrics, steadyClock } = foundation;
  const rules = {
    ...DEFAULT_RULES,
    intervalMilliseconds: config.replicaIntervalMilliseconds,
    lagLimitMilliseconds: config.replicaLagLimitMilliseconds,
    ...(config.replicaMode === "sync" ? { retry: SYNC_RETRY } : {}),
  };
  const replicators = targets.map(
    (target) =>
      new Replicator(target, journal.entries, rules, steadyClock, (event) =>
        reportReplica(foundation, target.name, event),
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

/** Builds the wait of proof requests for a replica; `undefined` in the asynchronous mode. */
export function createSyncReplication(
  { journal, telemetry }: Foundation,
  { replicaMode }: JournalConfig,
  replicators: readonly Replicator[],
): SyncReplication | undefined {
  if (replicaMode === "async") return undefined;
  return new SyncReplication({
    replicators,
    head: async () => (await journal.entries.head()).sequence,
    onChange: (isAvailable) => (isAvailable ? telemetry.replicaAvailable() : telemetry.replicaUnavailable()),
  });
}

function reportReplica({ telemetry, logger }: Foundation, name: string, event: ReplicatorEvent): void {
  switch (event.kind) {
    case "shipped":
      logger.debug(
        { replica: name, segment: event.segment, first: event.first, last: event.last },
        "a segment of the journal was shipped",
      );
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
      telemetry.journalDiverged(`replication ${name}`, `nothing is shipped to the replica ${name}: ${event.reason}`);
  }
}
