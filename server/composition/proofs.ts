import { setTimeout as sleep } from "node:timers/promises";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/clock.ts";
import type { Journal } from "./journal.ts";
import type { Telemetry } from "../operations/telemetry.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { BlockHead } from "../chain/block.ts";
import { AnchorRepair } from "../proofs/anchor-repair.ts";
import { AnchorTrees } from "../proofs/anchor-trees.ts";
import { ProofOutcomes } from "../proofs/proof-outcomes.ts";
import { ProofService } from "../proofs/service.ts";
import { ProofVerifier } from "../proofs/verifier.ts";
import { AnchorFollower } from "../proofs/anchor-follower.ts";
import { AnchorRetry } from "../proofs/anchor-retry.ts";
import { Batcher } from "../proofs/batcher.ts";
import { DeadlineWatch } from "../proofs/deadline-watch.ts";

/** How long before a block its batch is closed: time to be written, signed, sent, and spread among the validators. */
const BATCH_LEAD_MILLISECONDS = 400;
/** A write to disk takes about one millisecond, whatever is in it. */
const GATHER_MILLISECONDS = 10;

export interface ProofDeps {
  readonly journal: Journal;
  readonly chain: Pick<ProofAnchorClient, "anchorCall" | "anchorOf" | "blockOf">;
  readonly transactions: Transactions;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly batchMaxAgeMilliseconds: number;
  readonly proofWaitMilliseconds: number;
  readonly anchorDeadlineMilliseconds: number;
  readonly maxOutstanding: number;
  readonly takeOverMilliseconds: number;
  /** Told how many anchors whose transaction had failed were given new ones. */
  readonly onRetry: (count: number) => void;
}

/** The way of a proof from its acceptance to its confirmation, put together. */
export interface Anchoring {
  readonly proofs: ProofService;
  readonly verifier: ProofVerifier;
  readonly trees: AnchorTrees;
  /** Callers that wait for their confirmation. */
  readonly waiting: () => number;
  /** Seconds since the oldest proof was accepted that is not on chain; 0 when all are. */
  readonly oldestSeconds: () => Promise<number>;
  /** To be told of every new block. */
  onHead(head: BlockHead): void;
  /** Takes up what was under way. */
  start(): Promise<void>;
  /** Lets nobody wait any longer: what has no outcome yet is answered as pending. */
  release(): void;
  /** Takes nothing in any longer; what is on its way to the chain is still followed. */
  stop(): Promise<void>;
  /** Ends when nothing is followed any more; the transactions have to be released before. */
  ended(): Promise<void>;
}

export function createAnchoring(deps: ProofDeps): Anchoring {
  const { journal, chain, transactions, telemetry, clock } = deps;
  const trees = new AnchorTrees(journal.anchors);
  const repair = new AnchorRepair(journal, chain);
  const follower = new AnchorFollower({ transactions, repair, telemetry, clock });
  const batcher = new Batcher({
    journal,
    chain,
    transactions,
    follower,
    trees,
    telemetry,
    clock,
    rules: {
      maxAgeMilliseconds: deps.batchMaxAgeMilliseconds,
      leadMilliseconds: BATCH_LEAD_MILLISECONDS,
      gatherMilliseconds: GATHER_MILLISECONDS,
    },
    maxOutstanding: deps.maxOutstanding,
    takeOverMilliseconds: deps.takeOverMilliseconds,
  });
  const retry = new AnchorRetry({ journal, repair, follower, transactions, onRetry: deps.onRetry });
  const deadline = new DeadlineWatch(journal.anchors, telemetry, clock, deps.anchorDeadlineMilliseconds);
  const outcomes = new ProofOutcomes({
    journal,
    underWay: follower,
    repair,
    trees,
    pause: (milliseconds) => sleep(milliseconds),
    follow(mended) {
      for (const anchor of mended) follower.closed(anchor);
      transactions.wake();
    },
  });
  const { proofWaitMilliseconds } = deps;
  const proofs = new ProofService({ journal, intake: batcher, outcomes, clock, proofWaitMilliseconds });

  return {
    proofs,
    verifier: new ProofVerifier({ journal, chain, trees, telemetry }),
    trees,
    waiting: () => follower.waiting,
    oldestSeconds: () => deadline.oldestSeconds(),
    onHead: (head) => batcher.onHead(head),
    async start() {
      await batcher.start();
      retry.start();
      deadline.start();
    },
    release: () => follower.release(),
    async stop() {
      await deadline.stop();
      await retry.stop();
      await batcher.stop();
    },
    ended: () => follower.stop(),
  };
}
