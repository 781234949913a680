import { setTimeout as sleep } from "node:timers/promises";
import type { BlockHead } from "../chain/block.ts";
import { MAX_TREE_SIZE } from "../journal/integrity/merkle.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { Clock } from "../kit/clock.ts";
import type { ProofJournal } from "./stores.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { ProofEvents } from "./events.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { ProofIntake } from "./anchoring.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import { type BatchingRules, closingTime, writingTime } from "./batching.ts";
import { nextBlocks, type SeenBlock, withBlock } from "./block-rhythm.ts";
import type { Placement } from "./placement.ts";
import type { NewProof } from "./proof.ts";
import { SealbookError } from "../errors.ts";
import type { AnchorFollower } from "./anchor-follower.ts";
import { BatchWriter, type ClosedBatch, type OpenBatch, type Work, type Written } from "./batch-writer.ts";

/** Bulk requests that share a write to disk: each is up to a thousand rows. */
const BULKS_AT_ONCE = 4;
/** How often it is looked whether something is to be taken over, unless that is due sooner. */
const TAKE_OVER_INTERVAL_MILLISECONDS = 10_000;
/** Before a journal that failed is written to again. */
const JOURNAL_PAUSE_MILLISECONDS = 500;
/** When it is worth trying again after a refusal. */
const OVERLOADED_RETRY_SECONDS = 5;

export interface BatcherDeps {
  readonly journal: ProofJournal;
  readonly chain: Pick<ProofAnchorClient, "anchorCall">;
  readonly transactions: Pick<Transactions, "wake">;
  readonly follower: AnchorFollower;
  readonly trees: AnchorTrees;
  readonly telemetry: ProofEvents & Pick<JournalEvents, "journalFailing">;
  readonly clock: Clock;
  readonly rules: BatchingRules;
  /** Proofs on their way, after which no more are taken. */
  readonly maxOutstanding: number;
  /** Open anchors of another relayer that are older than this are closed in its place. */
  readonly takeOverMilliseconds: number;
}

/** One or many proofs that wait to be written. */
interface Request {
  readonly proofs: readonly NewProof[];
  answer(placements: readonly Placement[]): void;
  fail(cause: unknown): void;
}

/**
 * Takes proofs in and closes batches. What arrives within a moment is written to disk together, and what arrives while
 * a batch is open goes on chain together: {@link writingTime} and {@link closingTime} say how long.
 */
export class Batcher implements ProofIntake {
  readonly #deps: BatcherDeps;
  readonly #writer: BatchWriter;
  #singles: Request[] = [];
  #bulks: Request[] = [];
  /** Proofs in the two lists. */
  #queued = 0;
  /** When the first of the single ones came. */
  #arrivedAt = 0;
  #open: OpenBatch | undefined;
  /** Closed batches of single proofs that have no outcome yet. */
  readonly #underWay = new Set<number>();
  #seen: readonly SeenBlock[] = [];
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** For when the timer is set. */
  #timerAt = Infinity;
  #takeOver: NodeJS.Timeout | undefined;
  #takeOverDue = false;
  #stopping = false;
  #stopped = true;

  constructor(deps: BatcherDeps) {
    this.#deps = deps;
    this.#writer = new BatchWriter(deps.chain, deps.clock);
    deps.follower.onSettled((anchorId) => {
      if (this.#underWay.delete(anchorId)) this.#wake();
    });
  }

  async accept(proof: NewProof): Promise<Placement> {
    const [placement] = await this.#enqueue(this.#singles, [proof]);
    if (placement === undefined) throw new SealbookError("internal", "a proof was given no place");
    return placement;
  }

  acceptTogether(proofs: readonly NewProof[]): Promise<readonly Placement[]> {
    return this.#enqueue(this.#bulks, proofs);
  }

  /** Told of every new block: the rhythm of the chain is that of the batches. */
  onHead(head: BlockHead): void {
    this.#seen = withBlock(this.#seen, { ...head, seenAt: this.#deps.clock() });
    this.#wake();
  }

  /** Closes what was left open, and follows what is on its way. */
  async start(): Promise<void> {
    const { journal, follower, takeOverMilliseconds } = this.#deps;
    for (const anchor of await journal.anchors.inFlight()) follower.closed(anchor);
    this.#stopped = false;
    await this.#closeLeftOpen(0);
    this.#takeOver = setInterval(
      () => {
        this.#takeOverDue = true;
        this.#wake();
      },
      Math.min(TAKE_OVER_INTERVAL_MILLISECONDS, takeOverMilliseconds),
    );
  }

  /** Writes what was taken in; what is open then stays so, and is closed by the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#takeOver);
    this.#stopping = true;
    this.#wake();
    while (this.#work !== undefined) await this.#work;
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #enqueue(list: Request[], proofs: readonly NewProof[]): Promise<readonly Placement[]> {
    return new Promise((resolve, reject) => {
      const { follower, maxOutstanding } = this.#deps;
      if (follower.outstanding + this.#queued + proofs.length > maxOutstanding) {
        throw new SealbookError(
          "overloaded",
          `${maxOutstanding} proofs wait for the chain already; none more is taken now`,
          {
            retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
          },
        );
      }
      if (this.#singles.length === 0) this.#arrivedAt = this.#deps.clock();
      this.#queued += proofs.length;
      list.push({ proofs, answer: resolve, fail: reject });
      if (this.#work === undefined) this.#schedule();
    });
  }

  #wake(): void {
    if (this.#work !== undefined || this.#stopped) return;
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      this.#schedule();
    });
  }

  async #run(): Promise<void> {
    // One turn later, so that requests which arrived in the same packet are written together.
    await new Promise((resolve) => setImmediate(resolve));
    // With the work of others goes the question whether they have taken this one's: it may have halted for long.
    let isOpenInDoubt = this.#takeOverDue && this.#open !== undefined;
    if (this.#takeOverDue) {
      this.#takeOverDue = false;
      await this.#closeLeftOpen(this.#deps.clock() - this.#deps.takeOverMilliseconds).catch(() => undefined);
    }
    while (isOpenInDoubt || this.#dueAt() <= this.#deps.clock()) {
      isOpenInDoubt = false;
      const room = MAX_TREE_SIZE - (this.#open?.hashes.length ?? 0);
      const singles = this.#singles.splice(0, room);
      const bulks = this.#bulks.splice(0, BULKS_AT_ONCE);
      this.#queued -= singles.length + bulks.reduce((sum, { proofs }) => sum + proofs.length, 0);
      try {
        this.#apply(singles, bulks, await this.#write(singles, bulks));
      } catch (cause) {
        const error = new SealbookError("journal_unavailable", "the journal cannot be written; nothing was accepted", {
          cause,
          retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
        });
        for (const request of [...singles, ...bulks]) request.fail(error);
        this.#deps.telemetry.journalFailing(cause);
        await sleep(JOURNAL_PAUSE_MILLISECONDS);
      }
    }
  }

  #write(singles: readonly Request[], bulks: readonly Request[]): Promise<Written> {
    const work: Work = {
      open: this.#open,
      singles: singles.flatMap(({ proofs }) => proofs),
      bulks: bulks.map(({ proofs }) => proofs),
      isDue: (open) => this.#isDue(open),
    };
    return this.#deps.journal.atomically((atomic) => this.#writer.write(atomic, work));
  }

  /** Comes back when there is something to write. */
  #schedule(): void {
    if (this.#stopped) return;
    const at = this.#dueAt();
    const now = this.#deps.clock();
    if (at <= now) return this.#wake();
    if (at === this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Infinity;
        this.#wake();
      },
      Math.max(1, at - now),
    );
  }

  /** When there is something to write; a time that has passed means now. */
  #dueAt(): number {
    const open = this.#open;
    if (this.#bulks.length > 0) return 0;
    if (this.#singles.length === 0)
      return open === undefined ? Infinity : this.#closingTime(open.hashes.length, open.openedAt);
    if (this.#stopping) return 0;
    const size = this.#singles.length + (open?.hashes.length ?? 0);
    return writingTime(this.#arrivedAt, this.#closingTime(size, open?.openedAt ?? this.#arrivedAt), this.#deps.rules);
  }

  #closingTime(size: number, openedAt: number): number {
    const { clock, rules } = this.#deps;
    const now = clock();
    return closingTime(
      { size, openedAt, underWay: this.#underWay.size, nextBlocks: nextBlocks(this.#seen, now) },
      rules,
      now,
    );
  }

  #isDue(open: OpenBatch): boolean {
    return this.#closingTime(open.hashes.length, open.openedAt) <= this.#deps.clock();
  }

  /** Takes over what is on disk now, and tells everybody. */
  #apply(singles: readonly Request[], bulks: readonly Request[], written: Written): void {
    const { follower, telemetry } = this.#deps;
    this.#open = written.open;
    if (written.lost !== undefined) follower.forget(written.lost.anchorId);
    const all = [...written.singles, ...written.bulks.flat()];
    telemetry.proofsAccepted(all.filter(({ isNew }) => isNew).length);
    for (const { anchorId, acceptedAt } of written.placed) follower.placed(anchorId, acceptedAt);
    for (const { anchor } of written.closed) telemetry.batchClosed(anchor.size);
    this.#follow(written.closed);
    for (const [index, { answer }] of singles.entries()) answer(written.singles.slice(index, index + 1));
    for (const [index, { answer }] of bulks.entries()) answer(written.bulks[index] ?? []);
  }

  #follow(closed: readonly ClosedBatch[]): void {
    const { follower, transactions, trees } = this.#deps;
    for (const { anchor, isShared, tree } of closed) {
      if (tree !== undefined) trees.keep(anchor.id, tree);
      if (isShared) this.#underWay.add(anchor.id);
      follower.closed(anchor);
    }
    if (closed.length > 0) transactions.wake();
  }

  /** Closes anchors that were open when their process ended: this one before its start, or another. */
  async #closeLeftOpen(othersBefore: number): Promise<void> {
    this.#follow(
      await this.#deps.journal.atomically((atomic) => this.#writer.closeLeftOpen(atomic, othersBefore, this.#open)),
    );
  }
}
