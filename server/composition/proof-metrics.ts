import type { Foundation } from "./foundation.ts";
import type { Proofs } from "./proofs.ts";

/** Registers the metrics of proofs and their anchors. */
export function registerProofMetrics(
  { metrics, journal }: Pick<Foundation, "metrics" | "journal">,
  proofs: Pick<Proofs, "tracker">,
  maxInFlight: number,
): void {
  const counts = (): Promise<{ records: number; pending: number }> => journal.proofs.counts();
  metrics.gauge("sealbook_journal_proofs", "Proofs in the journal", async () => (await counts()).records);
  metrics.gauge(
    "sealbook_proofs_pending",
    "Proofs accepted and not confirmed yet",
    async () => (await counts()).pending,
  );
  metrics.gauge(
    "sealbook_proofs_pending_limit",
    "Maximum of pending proofs; at the maximum none is accepted",
    () => maxInFlight,
  );
  metrics.gauge(
    "sealbook_proof_oldest_pending_seconds",
    "Time since the acceptance of the oldest proof that is not on chain; 0 without one",
    () => proofs.tracker.oldestSeconds(),
  );
  metrics.gauge(
    "sealbook_proof_requests_waiting",
    "Requests that wait for their confirmation",
    () => proofs.tracker.waiting,
  );
  metrics.gauge(
    "sealbook_anchors_failed",
    "Anchors that the chain rejected and that wait for another attempt",
    async () => (await journal.anchors.failed()).length,
  );
}
