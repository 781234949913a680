import { setTimeout as sleep } from "node:timers/promises";
import type { BlockHead } from "../chain/block.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";
import type { Clock } from "../kit/time.ts";
import type { JournalEvents } from "../journal/events.ts";
import { SealbookError } from "../errors.ts";
import type { AnchorTracker } from "./anchor-tracker.ts";
import { type AnchorWriter, ifDamaged, type OpenBatch, type Written } from "./anchor-writer.ts";
import { type BatchRules, closingTime, nextBlocks, type SeenBlock, withBlock, writingTime } from "./batch-schedule.ts";
import type { ProofEvents } from "./events.ts";
import type { Acceptance } from "./anchor-trees.ts";
import type { NewProof } from "./proof.ts";

/** Maximum number of bulk requests per write to disk: each has up to a thousand rows. */
const BULKS_AT_ONCE = 4;
/** Pause after a failed write to the journal. */
const JOURNAL_PAUSE_MILLISECONDS = 500;
/** Time after which a rejected request can be sent again. */
const OVERLOADED_RETRY_SECONDS = 5;

export interface ProofQueueDeps {
  readonly writer: Pick<AnchorWriter, "write" | "closeLeftOpen">;
  readonly tracker: Pick<AnchorTracker, "hashes" | "sharedBatches" | "onOutcome" | "add" | "track">;
  readonly telemetry: Pick<ProofEvents, "proofsAccepted" | "batchClosed"> & Pick<JournalEvents, "journalFailing">;
  readonly clock: Clock;
  readonly rules: BatchRules;
  /** Maximum number of proofs in flight; further ones are rejected. */
  readonly maxInFlight: number;
}

/** One or many proofs to be written. */
interface Request {
  readonly proofs: readonly NewProof[];
  respond(acceptances: readonly Acceptance[]): void;
  fail(cause: unknown): void;
}

/**
 * Accepts proofs and closes batches. Proofs that arrive within a short time share a write to disk, and those that
 * arrive while a batch is open share its anchor: {@link writingTime} and {@link closingTime} determine how long. An
 * accepted proof is on disk, under an anchor, and MUST end on chain exactly once.
 */
export class ProofQueue {
  readonly #deps: ProofQueueDeps;
  #singles: Request[] = [];
  #bulks: Request[] = [];
  /** Proofs in the two lists. */
  #queued = 0;
  /** Arrival time of the first queued single proof. */
  #arrivedAt = 0;
  #open: OpenBatch | undefined;
  /** Whether a write has failed that may have opened, filled or closed a batch. */
  #isUncertain = false;
  #seen: readonly SeenBlock[] = [];
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time for which the timer is set. */
  #timerAt = Infinity;
  #stopping = false;
  #stopped = true;

  constructor(deps: ProofQueueDeps) {
    this.#deps = deps;
    deps.tracker.onOutcome(() => this.#wake());
  }

  /**
   * Adds a proof to the open batch.
   * @throws SealbookError `overloaded` when too many are in flight
   */
  async accept(proof: NewProof): Promise<Acceptance> {
    const [acceptance] = await this.#enqueue(this.#singles, [proof]);
    if (acceptance === undefined) throw new SealbookError("internal", "a proof was not accepted");
    return acceptance;
  }

  /** Adds 1 to 1000 proofs under an anchor of their own, atomically. Throws as `accept` does. */
  acceptTogether(proofs: readonly NewProof[]): Promise<readonly Acceptance[]> {
    return this.#enqueue(this.#bulks, proofs);
  }

  /** Handles a new block: batches follow the chain's block interval. */
  onHead(head: BlockHead): void {
    this.#seen = withBlock(this.#seen, { ...head, seenAt: this.#deps.clock() });
    this.#wake();
  }

  /** Closes the anchors that were left open. */
  async start(): Promise<void> {
    const { writer, tracker } = this.#deps;
    this.#stopped = false;
    tracker.track(await writer.closeLeftOpen().catch(ifDamaged));
  }

  /** Writes all queued proofs; the batch that is then open is closed at the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    while (this.#work !== undefined) await this.#work;
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #enqueue(list: Request[], proofs: readonly NewProof[]): Promise<readonly Acceptance[]> {
    return new Promise((resolve, reject) => {
      const { tracker, clock, maxInFlight } = this.#deps;
      if (tracker.hashes + this.#queued + proofs.length > maxInFlight) {
        throw new SealbookError("overloaded", `${maxInFlight} proofs are in flight, the maximum; try again later`, {
          retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
        });
      }
      if (this.#singles.length === 0) this.#arrivedAt = clock();
      this.#queued += proofs.length;
      list.push({ proofs, respond: resolve, fail: reject });
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
    while (this.#dueAt() <= this.#deps.clock()) {
      if (this.#isUncertain) {
        await this.#recover();
        continue;
      }
      const room = MAX_TREE_SIZE - (this.#open?.hashes.length ?? 0);
      const singles = this.#singles.splice(0, room);
      const bulks = this.#bulks.splice(0, BULKS_AT_ONCE);
      this.#queued -= singles.length + bulks.reduce((sum, { proofs }) => sum + proofs.length, 0);
      try {
        const written = await this.#deps.writer.write({
          open: this.#open,
          singles: singles.flatMap(({ proofs }) => proofs),
          bulks: bulks.map(({ proofs }) => proofs),
          isDue: ({ hashes, openedAt }) => this.#closingTime(hashes.length, openedAt) <= this.#deps.clock(),
        });
        this.#apply(singles, bulks, written);
      } catch (cause) {
        const error = refusal(cause);
        for (const request of [...singles, ...bulks]) request.fail(error);
        this.#deps.telemetry.journalFailing(cause);
        // The write may be on disk all the same: the batch is closed with what it has there.
        this.#open = undefined;
        this.#isUncertain = true;
        await this.#afterFailure();
      }
    }
  }

  /** Closes the batch that is open on disk after a failed write, whatever is in it. */
  async #recover(): Promise<void> {
    const { writer, tracker, telemetry } = this.#deps;
    try {
      tracker.track(await writer.closeLeftOpen().catch(ifDamaged));
      this.#isUncertain = false;
    } catch (cause) {
      this.#failAll(refusal(cause));
      telemetry.journalFailing(cause);
      await this.#afterFailure();
    }
  }

  async #afterFailure(): Promise<void> {
    if (!this.#stopping) return sleep(JOURNAL_PAUSE_MILLISECONDS);
    // The next start, or the next leader, closes the open batch.
    this.#isUncertain = false;
    this.#failAll(refusal(undefined));
  }

  /** Fails all that is queued. */
  #failAll(error: SealbookError): void {
    for (const request of [...this.#singles.splice(0), ...this.#bulks.splice(0)]) request.fail(error);
    this.#queued = 0;
  }

  /** Sets the timer for the next write. */
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

  /** Returns the time of the next write; a time in the past means at once. */
  #dueAt(): number {
    const open = this.#open;
    if (this.#isUncertain || this.#bulks.length > 0) return 0;
    if (this.#singles.length === 0)
      return open === undefined ? Infinity : this.#closingTime(open.hashes.length, open.openedAt);
    if (this.#stopping) return 0;
    const size = this.#singles.length + (open?.hashes.length ?? 0);
    return writingTime(this.#arrivedAt, this.#closingTime(size, open?.openedAt ?? this.#arrivedAt), this.#deps.rules);
  }

  #closingTime(size: number, openedAt: number): number {
    const now = this.#deps.clock();
    const inFlight = this.#deps.tracker.sharedBatches;
    return closingTime({ size, openedAt, inFlight, nextBlocks: nextBlocks(this.#seen, now) }, this.#deps.rules, now);
  }

  /** Tracks the written anchors, and resolves the requests. */
  #apply(singles: readonly Request[], bulks: readonly Request[], written: Written): void {
    const { tracker, telemetry } = this.#deps;
    this.#open = written.open;
    const all = [...written.singles, ...written.bulks.flat()];
    telemetry.proofsAccepted(all.filter(({ isNew }) => isNew).length);
    for (const { anchorId, acceptedAt } of written.added) tracker.add(anchorId, acceptedAt);
    for (const { anchor } of written.closed) telemetry.batchClosed(anchor.size);
    tracker.track(written.closed);
    for (const [index, { respond }] of singles.entries()) respond(written.singles.slice(index, index + 1));
    for (const [index, { respond }] of bulks.entries()) respond(written.bulks[index] ?? []);
  }
}

/** Returns the error of requests that were not written. */
function refusal(cause: unknown): SealbookError {
  if (cause instanceof SealbookError && ["outcome_unknown", "journal_damaged"].includes(cause.code)) return cause;
  return new SealbookError("journal_unavailable", "the journal cannot be written; nothing was accepted", {
    cause,
    retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
  });
}
