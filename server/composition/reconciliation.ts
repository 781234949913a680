import { readSegments, type SegmentTarget } from "../journal/replication/segment-target.ts";
import { AnchorCheck } from "../journal/reconciliation/anchor-check.ts";
import { ConfirmationCheck } from "../journal/reconciliation/confirmation-check.ts";
import type { ReconciliationStore } from "../journal/reconciliation/divergence.ts";
import { EntryCheck } from "../journal/reconciliation/entry-check.ts";
import { IndexCheck } from "../journal/reconciliation/index-check.ts";
import { LeafCheck } from "../journal/reconciliation/leaf-check.ts";
import { Reconciler } from "../journal/reconciliation/reconciler.ts";
import { ReplicaCheck } from "../journal/reconciliation/replica-check.ts";
import type { JournalConfig } from "../config/config.ts";
import type { Foundation } from "./foundation.ts";

/** Builds the regular comparison of journal, replicas and chain. */
export function createReconciler(
  { journal, proofAnchor: chain, entryVerifier: verifier, divergences, logger, clock }: Foundation,
  config: JournalConfig,
  store: ReconciliationStore,
  targets: readonly SegmentTarget[],
): Reconciler {
  return new Reconciler({
    store,
    confirmations: new ConfirmationCheck({ store, chain, divergences, clock }),
    anchors: new AnchorCheck({ store, chain, divergences }),
    entries: new EntryCheck({ store, entries: journal.entries, divergences }),
    index: new IndexCheck({ store, divergences }),
    leaves: new LeafCheck({ store, proofs: journal.proofs, divergences }),
    replica: new ReplicaCheck({
      entries: journal.entries,
      divergences,
      onUnreachable: (replica, err) =>
        logger.warn({ err, replica }, "a replica could not be compared with the journal; the next comparison retries"),
    }),
    replicas: targets.map((target) => ({ name: target.name, segments: () => readSegments(target) })),
    divergences,
    verifier,
    rules: {
      intervalMilliseconds: config.reconcileIntervalMilliseconds,
      fullIntervalMilliseconds: config.fullReconcileIntervalMilliseconds,
    },
    clock,
    onFailure: (err) => logger.warn({ err }, "journal and chain could not be compared; the server retries"),
  });
}
