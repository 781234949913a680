import { hashesUnder, type StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { Backoff } from "../kit/backoff.ts";
import { type Clock, every, type Interval } from "../kit/time.ts";
import type { ConfirmedAnchor } from "../chain/contracts/anchors.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import { SealbookError } from "../errors.ts";
import type { AnchorState } from "./anchor-states.ts";
import { type Acceptance, type AnchorTrees, hashKey, withInclusionProof } from "./anchor-trees.ts";
import type { AnchorWriter, ClosedBatch } from "./anchor-writer.ts";
import type { ProofEvents } from "./events.ts";
import { type AcceptedProof, isSameRecord, type Proof, type StoredProof } from "./proof.ts";
import type { ProofJournal } from "./proof-store.ts";

/** Interval of journal reads for anchors that were confirmed before a caller waits, and of retries of failed reads. */
const REREAD_MILLISECONDS = 500;
/** Interval of the checks for the deadline and for due retries. */
const CHECK_MILLISECONDS = 1_000;
/** Delays between retries of failed anchors. */
const RETRY = { firstMilliseconds: 5_000, longestMilliseconds: 10 * 60_000 };

/** Failures of an anchor after which an operator is needed. */
const MOST_FAILURES = 3;

const PENDING: AnchorState = { outcome: { state: "pending" }, content: undefined, fault: undefined };

export interface AnchorTrackerDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly writer: Pick<AnchorWriter, "reanchor">;
  readonly trees: AnchorTrees;
  readonly transactions: Pick<Transactions, "wake" | "onOutcome">;
  readonly telemetry: ProofEvents;
  readonly clock: Clock;
  /** Whether the chain stalls: then nobody waits. */
  readonly isStalled: () => boolean;
  /** Maximum time that an accepted proof may stay unconfirmed before a deadline event is emitted. */
  readonly deadlineMilliseconds: number;
  /** Since when, in Unix milliseconds, a proof has waited longer than a limit, according to the journal's entries. */
  readonly lateSince: (limitMilliseconds: number) => number | undefined;
  /** Called with the number of failed anchors that were given new transactions. */
  readonly onRetry: (count: number) => void;
}

/** An anchor without an outcome, and the callers that wait for it. */
interface Tracked {
  /** Whether it is in flight; others are tracked while a caller waits. */
  isInFlight: boolean;
  /** Unset while it is open. */
  anchor: StoredAnchor | undefined;
  /** Acceptance times of its proofs, as far as this process accepted them. */
  readonly acceptedAt: number[];
  /** Its hashes that count as in flight. */
  size: number;
  isShared: boolean;
  readonly waiters: Set<(state: AnchorState | undefined) => void>;
}

/** A proof whose outcome a caller waits for. */
interface Awaited {
  proof: AcceptedProof;
  /** Whether it was read from the journal after its acceptance. */
  isRead: boolean;
  /** Whether a failed anchor is not retried again for this caller. */
  isRetried: boolean;
  result: Proof | undefined;
}

/**
 * Tracks the states of proofs from their acceptance on. A proof has the state of its anchor:
 * - accepted: the anchor is open;
 * - batched: the anchor is closed and has a transaction;
 * - sent: the transaction is signed, and sent until it has an outcome;
 * - confirmed: the transaction is mined, and the journal has its confirmation;
 * - failed: the transaction was refused, reverted or cancelled. A later retry gives the anchor another one.
 *
 * The state itself is on disk. The sender hands confirmations over when they are there, and the tracker resolves the
 * callers' promises; it reads what failed.
 */
export class AnchorTracker {
  readonly #deps: AnchorTrackerDeps;
  /** By anchor. */
  readonly #tracked = new Map<number, Tracked>();
  /** Anchors to be read from the journal. */
  readonly #due = new Set<number>();
  readonly #listeners = new Set<() => void>();
  readonly #backoff = new Backoff(RETRY);
  /** How often anchors failed, by anchor. */
  readonly #failures = new Map<number, number>();
  /** By `performance.now()`. */
  #retryAt = 0;
  #intervals: readonly Interval[] = [];
  #reading: Promise<void> | undefined;
  #hashes = 0;
  #sharedBatches = 0;
  #waiting = 0;
  #released = false;
  #stopped = false;

  constructor(deps: AnchorTrackerDeps) {
    this.#deps = deps;
    deps.transactions.onOutcome((ids, anchors) => this.#onOutcome(ids, anchors));
  }

  /** Hashes in flight: under anchors without an outcome, open ones included. */
  get hashes(): number {
    return this.#hashes;
  }

  /** Number of closed batches of single proofs in flight. */
  get sharedBatches(): number {
    return this.#sharedBatches;
  }

  /** Number of waiting callers. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @param listener Called each time an anchor has an outcome */
  onOutcome(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Tracks the anchors in flight, and starts retries of failed ones. */
  async start(): Promise<void> {
    // Nothing is tracked in a journal that is not the relayer's own: an operator has to look at it first.
    const inFlight = await this.#deps.journal.anchors.inFlight().catch(ifDamaged);
    this.track(inFlight.map((anchor) => ({ anchor, isShared: false, tree: undefined })));
    // Failures are counted anew.
    this.#deps.telemetry.anchorsAccepted();
    this.#intervals = [
      every(REREAD_MILLISECONDS, () => this.#read(this.#ids(({ isInFlight }) => !isInFlight))),
      // A journal that cannot be read is reported by its writers; the next run tries again.
      every(CHECK_MILLISECONDS, () => this.#checkDeadline().catch(() => undefined)),
      every(CHECK_MILLISECONDS, () => this.#retryFailed()),
      every(CHECK_MILLISECONDS, () => {
        if (this.#deps.isStalled()) this.#endWaits();
      }),
    ];
  }

  /** Resolves every current and later wait: a proof without an outcome is pending. */
  release(): void {
    this.#released = true;
    this.#endWaits();
  }

  #endWaits(): void {
    for (const { waiters } of this.#tracked.values()) for (const respond of waiters) respond(PENDING);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#intervals.map((interval) => interval.stop()));
    this.release();
    await this.#reading;
  }

  /** Adds new proofs of an open anchor. */
  add(anchorId: number, acceptedAt: readonly number[]): void {
    const tracked = this.#entry(anchorId);
    tracked.isInFlight = true;
    tracked.acceptedAt.push(...acceptedAt);
    this.#resize(tracked, tracked.size + acceptedAt.length);
  }

  /** Tracks closed anchors, and wakes the sender for their transactions. */
  track(closed: readonly ClosedBatch[]): void {
    for (const { anchor, isShared, tree } of closed) {
      const tracked = this.#entry(anchor.id);
      tracked.isInFlight = true;
      tracked.anchor = anchor;
      this.#resize(tracked, hashesUnder(anchor));
      if (isShared && !tracked.isShared) this.#sharedBatches += 1;
      tracked.isShared ||= isShared;
      if (tree !== undefined) this.#deps.trees.add(anchor.id, tree);
    }
    if (closed.length > 0) this.#deps.transactions.wake();
  }

  /**
   * Waits for the anchors of proofs.
   * @param end By `performance.now()`; a proof without an outcome by then is `pending`
   * @returns the proofs in the order given
   */
  async outcomes(acceptances: readonly Acceptance[], end: number): Promise<Proof[]> {
    const all = acceptances.map(({ proof, isNew }): Awaited => ({
      proof,
      isRead: false,
      isRetried: isNew,
      result: undefined,
    }));
    for (let left = all; left.length > 0; left = left.filter(({ result }) => result === undefined)) {
      const unsettled: Awaited[] = [];
      for (const [anchorId, items] of Map.groupBy(left, ({ proof }) => proof.anchorId)) {
        const isRead = items.some((item) => item.isRead);
        const state = await this.#wait(anchorId, isRead, end - performance.now());
        if (state === undefined) {
          unsettled.push(...items);
          continue;
        }
        const { outcome, content } = state;
        const tree = content && (await this.#deps.trees.of(anchorId, content));
        for (const item of items) item.result = withInclusionProof(item.proof, outcome, tree);
      }
      if (unsettled.length > 0) await this.#readProofs(unsettled, end);
    }
    return all.flatMap(({ result }) => result ?? []);
  }

  /** Returns the seconds since the oldest unconfirmed proof was accepted; 0 without one. */
  async oldestSeconds(): Promise<number> {
    const { journal, clock } = this.#deps;
    const oldest = await journal.anchors.oldestUnconfirmed();
    return oldest === undefined ? 0 : Math.max(0, (clock() - oldest) / 1000);
  }

  /**
   * Waits until an anchor is confirmed.
   * @param isRead Whether the journal was read and has the proofs pending under this anchor
   * @returns `undefined` when the journal has to be read: the anchor failed, or is not tracked
   */
  #wait(anchorId: number, isRead: boolean, milliseconds: number): Promise<AnchorState | undefined> {
    const known = this.#tracked.get(anchorId);
    if (known === undefined && !isRead) return Promise.resolve(undefined);
    if (this.#released || milliseconds <= 0 || this.#deps.isStalled()) return Promise.resolve(PENDING);
    const tracked = known ?? this.#entry(anchorId);
    return new Promise((resolve) => {
      const respond = (state: AnchorState | undefined): void => {
        clearTimeout(timer);
        this.#waiting -= 1;
        tracked.waiters.delete(respond);
        this.#dropIdle(anchorId, tracked);
        resolve(state);
      };
      const timer = setTimeout(respond, milliseconds, PENDING);
      this.#waiting += 1;
      tracked.waiters.add(respond);
    });
  }

  /** Reads the outcomes of proofs, and retries failed anchors of records that were submitted again. */
  async #readProofs(awaited: readonly Awaited[], end: number): Promise<void> {
    const { journal, trees, writer } = this.#deps;
    const found = await journal.proofs.byRecordHashes(awaited.map(({ proof }) => proof.recordHash));
    const byHash = Map.groupBy(found, hashKey);
    const isOver = performance.now() >= end;
    for (const item of awaited) {
      const proof: StoredProof | undefined = byHash
        .get(hashKey(item.proof))
        ?.find((other) => isSameRecord(other, item.proof));
      if (proof === undefined) throw new SealbookError("internal", "an accepted proof is not in the journal");
      const { state } = proof.outcome;
      item.proof = proof;
      item.isRead = true;
      if (state === "confirmed" || isOver || (state === "failed" && item.isRetried)) {
        item.result = await trees.complete(proof);
      } else if (state === "failed") {
        item.isRetried = true;
        this.track(await writer.reanchor(proof.anchorId));
      }
    }
  }

  #entry(anchorId: number): Tracked {
    const known = this.#tracked.get(anchorId);
    if (known !== undefined) return known;
    const tracked: Tracked = {
      isInFlight: false,
      anchor: undefined,
      acceptedAt: [],
      size: 0,
      isShared: false,
      waiters: new Set(),
    };
    this.#tracked.set(anchorId, tracked);
    return tracked;
  }

  #resize(tracked: Tracked, size: number): void {
    this.#hashes += size - tracked.size;
    tracked.size = size;
  }

  /** Stops tracking an anchor that is not in flight and has no waiting callers. */
  #dropIdle(anchorId: number, tracked: Tracked): void {
    if (tracked.isInFlight || tracked.waiters.size > 0) return;
    if (this.#tracked.get(anchorId) === tracked) this.#tracked.delete(anchorId);
  }

  #ids(condition: (tracked: Tracked) => boolean): number[] {
    return [...this.#tracked].filter(([, tracked]) => condition(tracked)).map(([id]) => id);
  }

  /** Takes confirmations as they are handed over; the state of an anchor whose transaction failed is read. */
  #onOutcome(transactionIds: readonly number[], anchors: readonly ConfirmedAnchor[]): void {
    const failed = new Set(transactionIds);
    for (const { anchorId, transactionId, hash, size, ...inclusion } of anchors) {
      failed.delete(transactionId);
      const tracked = this.#tracked.get(anchorId)?.anchor;
      if (tracked?.transactionId !== transactionId) continue;
      this.#advance(anchorId, tracked, {
        outcome: { state: "confirmed", ...inclusion },
        content: { hash, size },
        fault: undefined,
      });
    }
    if (failed.size === 0) return;
    this.#read(this.#ids(({ anchor }) => anchor !== undefined && failed.has(anchor.transactionId)));
  }

  /** Reads the states of anchors, and of those whose last read failed. */
  #read(anchorIds: readonly number[]): void {
    for (const id of anchorIds) this.#due.add(id);
    if (this.#stopped || this.#due.size === 0) return;
    this.#reading ??= this.#readDue();
  }

  async #readDue(): Promise<void> {
    try {
      while (this.#due.size > 0) {
        const read = new Map(Array.from(this.#due, (id) => [id, this.#tracked.get(id)?.anchor]));
        this.#due.clear();
        const states = await this.#statesOf([...read.keys()]);
        if (states === undefined) return;
        for (const [id, anchor] of read) this.#advance(id, anchor, states.get(id));
      }
    } finally {
      this.#reading = undefined;
    }
  }

  /** Returns `undefined` when the journal cannot be read: the next run reads these anchors. */
  async #statesOf(ids: readonly number[]): Promise<ReadonlyMap<number, AnchorState> | undefined> {
    try {
      return await this.#deps.journal.anchors.states(ids);
    } catch {
      for (const id of ids) this.#due.add(id);
      return undefined;
    }
  }

  /** @param anchor The tracked anchor at the time of the read */
  #advance(anchorId: number, anchor: StoredAnchor | undefined, state: AnchorState | undefined): void {
    const tracked = this.#tracked.get(anchorId);
    if (tracked === undefined || tracked.anchor !== anchor || state?.outcome.state === "pending") return;
    this.#tracked.delete(anchorId);
    this.#resize(tracked, 0);
    if (tracked.isShared) this.#sharedBatches -= 1;
    if (state?.outcome.state === "confirmed") {
      const now = this.#deps.clock();
      for (const accepted of tracked.acceptedAt)
        this.#deps.telemetry.proofConfirmed(Math.max(0, now - accepted) / 1000);
      this.#accepted(anchorId);
    } else if (state?.outcome.state === "failed" && anchor !== undefined) {
      this.#failed(anchor, state.outcome.reason);
    }
    // The next batch is sent before the callers are notified, so that the chain does not idle.
    for (const listener of this.#listeners) listener();
    for (const respond of tracked.waiters) respond(state?.outcome.state === "confirmed" ? state : undefined);
  }

  #failed(anchor: StoredAnchor, reason: string): void {
    const { telemetry } = this.#deps;
    const times = (this.#failures.get(anchor.id) ?? 0) + 1;
    this.#failures.set(anchor.id, times);
    telemetry.anchorFailed(anchor.hash, hashesUnder(anchor), reason);
    if (times >= MOST_FAILURES) telemetry.anchorRejected(anchor.hash, times, reason);
  }

  #accepted(anchorId: number): void {
    if (!this.#failures.delete(anchorId)) return;
    if ([...this.#failures.values()].every((times) => times < MOST_FAILURES)) this.#deps.telemetry.anchorsAccepted();
  }

  /** Retries failed anchors, at increasing intervals, until none is failed. */
  async #retryFailed(): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    const { journal, writer, onRetry } = this.#deps;
    let count = 0;
    try {
      for (const { id } of await journal.anchors.failed()) {
        if (this.#stopped) break;
        const anchors = await writer.reanchor(id);
        this.track(anchors);
        count += anchors.length;
      }
      if (count === 0) this.#backoff.reset();
    } catch {
      // The journal cannot be read or written: the next retry comes later.
    }
    if (count > 0) onRetry(count);
    this.#retryAt = performance.now() + this.#backoff.next();
  }

  async #checkDeadline(): Promise<void> {
    const { telemetry, journal, clock, deadlineMilliseconds, lateSince } = this.#deps;
    const now = clock();
    const oldest = (await journal.anchors.oldestUnconfirmed()) ?? now;
    // Who can write to the database can have an anchor look newer than it is.
    const since = Math.min(oldest, lateSince(deadlineMilliseconds) ?? now);
    if (now - since > deadlineMilliseconds) telemetry.anchoringLate(since);
    else telemetry.anchoringInTime();
  }
}

/** Returns nothing in place of what a changed journal has. */
export function ifDamaged(error: unknown): [] {
  if (error instanceof SealbookError && error.code === "journal_damaged") return [];
  throw error;
}
