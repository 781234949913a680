import type { Context } from "./context.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { BlockHead } from "../chain/block.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import type { TransactionSender } from "../chain/transactions/transaction-sender.ts";
import type { Clock } from "../kit/time.ts";
import type { Telemetry } from "../operations/telemetry.ts";
import { AnchorDeadline } from "../proofs/anchor-deadline.ts";
import { AnchorTracker } from "../proofs/anchor-tracker.ts";
import { AnchorTrees } from "../proofs/anchor-trees.ts";
import { AnchorWriter } from "../proofs/anchor-writer.ts";
import { FailedAnchors } from "../proofs/failed-anchors.ts";
import { LEAD_MILLISECONDS } from "../proofs/batch-schedule.ts";
import { ProofQueue } from "../proofs/proof-queue.ts";
import { ProofService } from "../proofs/service.ts";
import { StallWatch } from "../proofs/stall-watch.ts";
import { ProofVerifier } from "../proofs/verifier.ts";
import type { EntryVerifier } from "../journal/entries/verified-entries.ts";
import type { Journal } from "./journal.ts";

/** Registers the metrics of proofs and their anchors. */
export function registerProofMetrics(
  { metrics, journal }: Pick<Context, "metrics" | "journal">,
  proofs: Pick<Proofs, "tracker" | "deadline">,
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
    () => proofs.deadline.oldestSeconds(),
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

/** A write to disk takes about one millisecond, whatever is in it. */
const GATHER_MILLISECONDS = 10;

interface ProofDeps {
  /** See {@link AnchorTracker}. */
  readonly lateSince: (limitMilliseconds: number) => number | undefined;
  /** Throws SealbookError `journal_damaged` while the index is known to miss records. */
  readonly assertFindable: () => undefined;
  readonly journal: Journal;
  readonly entryVerifier: EntryVerifier;
  readonly chain: Pick<ProofAnchorClient, "anchorCall" | "anchorOf" | "blockOf" | "blockHash" | "hasSeen" | "find">;
  readonly transactions: Transactions & Pick<TransactionSender, "takenSince">;
  /** @throws SealbookError `storage_full` */
  readonly assertWritable: () => void;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** Never jumps; for durations. */
  readonly steadyClock: Clock;
  readonly batchMaxAgeMilliseconds: number;
  readonly proofWaitMilliseconds: number;
  readonly anchorDeadlineMilliseconds: number;
  readonly maxInFlight: number;
  /** Called with the number of failed anchors that were given new transactions. */
  readonly onRetry: (count: number) => void;
}

/** Proofs, put together. */
export interface Proofs {
  readonly service: ProofService;
  readonly verifier: ProofVerifier;
  readonly trees: AnchorTrees;
  readonly tracker: Pick<AnchorTracker, "waiting" | "release">;
  readonly deadline: Pick<AnchorDeadline, "oldestSeconds">;
  /** To be called with every new block. */
  onHead(head: BlockHead): void;
  /** Resumes the anchors in flight. */
  start(): Promise<void>;
  /** Writes queued proofs and responds to waiting requests. Anchors in flight are resumed by the next start. */
  stop(): Promise<void>;
}

export function createProofs(deps: ProofDeps): Proofs {
  const { journal, chain } = deps;
  const trees = new AnchorTrees(journal.anchors);
  const verifier = new ProofVerifier(deps);
  const writer = new AnchorWriter(journal, chain, deps.steadyClock);
  const stall = new StallWatch({ clock: () => performance.now(), waitingSince: () => deps.transactions.takenSince });
  const tracker = new AnchorTracker({
    ...deps,
    writer,
    failed: new FailedAnchors({ ...deps, writer }),
    trees,
    isStalled: () => stall.isStalled(),
  });
  const deadline = new AnchorDeadline({ ...deps, deadlineMilliseconds: deps.anchorDeadlineMilliseconds });
  const rules = {
    maxAgeMilliseconds: deps.batchMaxAgeMilliseconds,
    gatherMilliseconds: GATHER_MILLISECONDS,
    leadMilliseconds: LEAD_MILLISECONDS,
  };
  const queue = new ProofQueue({
    ...deps,
    clock: deps.steadyClock,
    writer,
    tracker,
    rules,
    maxInFlight: deps.maxInFlight,
  });
  return {
    service: new ProofService({ ...deps, queue, tracker, trees, verifier }),
    verifier,
    trees,
    tracker,
    deadline,
    onHead(head) {
      queue.onHead(head);
      stall.onHead(head);
    },
    async start() {
      await tracker.start();
      deadline.start();
      await queue.start();
    },
    async stop() {
      await queue.stop();
      await Promise.all([tracker.stop(), deadline.stop()]);
    },
  };
}
