import { hashesUnder, type StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { Waiters } from "../kit/waiters.ts";
import { type Clock, every, type Interval } from "../kit/time.ts";
import type { ConfirmedAnchor } from "../chain/contracts/anchors.ts";
import type { TransactionOutcome } from "../chain/transaction.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import type { AnchorState } from "./anchor-states.ts";
import { type Acceptance, type AnchorTrees, withInclusionProof } from "./anchor-trees.ts";
import { type AnchorWriter, type ClosedBatch, ifDamaged } from "./anchor-writer.ts";
import type { ProofEvents } from "./events.ts";
import type { FailedAnchors } from "./failed-anchors.ts";
import type { Proof } from "./proof.ts";
import type { ProofJournal } from "./proof-store.ts";

/** Interval of the checks for a chain that stalls, and for due retries. */
const CHECK_MILLISECONDS = 1_000;

const PENDING: AnchorState = { outcome: { state: "pending" }, content: undefined, fault: undefined };

export interface AnchorTrackerDeps {
  readonly journal: Pick<ProofJournal, "anchors">;
  readonly writer: Pick<AnchorWriter, "reanchor">;
  readonly failed: FailedAnchors;
  readonly trees: AnchorTrees;
  readonly transactions: Pick<Transactions, "wake" | "onOutcome">;
  readonly telemetry: ProofEvents;
  readonly clock: Clock;
  /** Whether the chain stalls: then nobody waits. */
  readonly isStalled: () => boolean;
}

/** An anchor in flight. */
interface Tracked {
  /** Unset while it is open. */
  anchor: StoredAnchor | undefined;
  /** Acceptance times of its proofs, as far as this process accepted them. */
  readonly acceptedAt: number[];
  /** Its hashes. */
  size: number;
  isShared: boolean;
}

/**
 * Tracks anchors from the acceptance of their first proof on, and wakes the callers that wait for them. An anchor is
 * - open: proofs are added;
 * - in flight: it is closed, and its transaction is sent until it has an outcome;
 * - confirmed: the transaction is mined, and the journal has its confirmation;
 * - failed: the transaction was refused, reverted or cancelled. A later retry gives the anchor another one.
 *
 * The state itself is on disk; the sender hands outcomes over when they are there.
 */
export class AnchorTracker {
  readonly #deps: AnchorTrackerDeps;
  /** By anchor. */
  readonly #inFlight = new Map<number, Tracked>();
  /** By anchor. */
  readonly #waiters = new Waiters<number, AnchorState>();
  readonly #unread = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #intervals: readonly Interval[] = [];
  #hashes = 0;
  #sharedBatches = 0;

  constructor(deps: AnchorTrackerDeps) {
    this.#deps = deps;
    deps.transactions.onOutcome((outcomes, anchors) => this.#onOutcome(outcomes, anchors));
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
    return this.#waiters.count;
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
      every(CHECK_MILLISECONDS, () => {
        if (this.#deps.isStalled()) this.#waiters.wakeAll();
      }),
      every(CHECK_MILLISECONDS, async () => {
        await this.#readUnread();
        await this.#deps.failed.retry((anchors) => this.track(anchors));
      }),
    ];
  }

  /** Resolves every current and later wait: a proof without an outcome is pending. */
  release(): void {
    this.#waiters.release();
  }

  async stop(): Promise<void> {
    this.#deps.failed.stop();
    await Promise.all(this.#intervals.map((interval) => interval.stop()));
    this.release();
  }

  /** Adds new proofs of an open anchor. */
  add(anchorId: number, acceptedAt: readonly number[]): void {
    const tracked = this.#entry(anchorId);
    tracked.acceptedAt.push(...acceptedAt);
    this.#resize(tracked, tracked.size + acceptedAt.length);
  }

  /** Tracks closed anchors, and wakes the sender for their transactions. */
  track(closed: readonly ClosedBatch[]): void {
    for (const { anchor, isShared, tree } of closed) {
      const tracked = this.#entry(anchor.id);
      tracked.anchor = anchor;
      this.#resize(tracked, hashesUnder(anchor));
      if (isShared && !tracked.isShared) this.#sharedBatches += 1;
      tracked.isShared ||= isShared;
      if (tree !== undefined) this.#deps.trees.add(anchor.id, tree);
    }
    if (closed.length > 0) this.#deps.transactions.wake();
  }

  /**
   * Waits for the anchors of proofs. A failed anchor is retried once for a record that was submitted again.
   * @param end By `performance.now()`; a proof without an outcome by then is `pending`
   * @returns the proofs in the order given
   */
  async outcomes(acceptances: readonly Acceptance[], end: number): Promise<Proof[]> {
    const proofs = new Map<Acceptance, Proof>();
    for (const [anchorId, items] of Map.groupBy(acceptances, ({ proof }) => proof.anchorId)) {
      const isNew = items.every((item) => item.isNew);
      const { outcome, content } = await this.#outcomeOf(anchorId, isNew, end);
      const isIncluded = outcome.state === "confirmed" && content !== undefined;
      const tree = isIncluded ? await this.#deps.trees.of(anchorId, content) : undefined;
      for (const item of items) proofs.set(item, withInclusionProof(item.proof, outcome, tree));
    }
    return acceptances.flatMap((acceptance) => proofs.get(acceptance) ?? []);
  }

  /** @param isRetried Whether a failed anchor is not retried for the caller */
  async #outcomeOf(anchorId: number, isRetried: boolean, end: number): Promise<AnchorState> {
    const isTracked = this.#inFlight.has(anchorId);
    // The wait begins before the read: no outcome comes in between.
    const wait = this.#waiters.begin(anchorId, this.#deps.isStalled() ? 0 : end - performance.now());
    try {
      const known = isTracked ? undefined : await this.#read(anchorId);
      const state = known ?? (await wait.value) ?? PENDING;
      if (state.outcome.state !== "failed" || isRetried) return state;
    } finally {
      wait.end();
    }
    this.track(await this.#deps.writer.reanchor(anchorId));
    return this.#outcomeOf(anchorId, true, end);
  }

  /** Reads anchors whose transactions have outcomes that were not handed over. */
  async #readUnread(): Promise<void> {
    for (const id of this.#unread) {
      // The next run tries again.
      const state = await this.#read(id).catch(() => "unknown" as const);
      if (state === "unknown") return;
      this.#unread.delete(id);
      if (state !== undefined) this.#ended(id, state);
    }
  }

  /** Returns the state of an anchor on disk; `undefined` while it has no outcome. */
  async #read(anchorId: number): Promise<AnchorState | undefined> {
    const state = (await this.#deps.journal.anchors.states([anchorId])).get(anchorId);
    return state?.outcome.state === "pending" ? undefined : state;
  }

  #entry(anchorId: number): Tracked {
    const known = this.#inFlight.get(anchorId);
    if (known !== undefined) return known;
    const tracked: Tracked = { anchor: undefined, acceptedAt: [], size: 0, isShared: false };
    this.#inFlight.set(anchorId, tracked);
    return tracked;
  }

  #resize(tracked: Tracked, size: number): void {
    this.#hashes += size - tracked.size;
    tracked.size = size;
  }

  #onOutcome(
    outcomes: readonly (readonly [id: number, outcome: TransactionOutcome])[],
    anchors: readonly ConfirmedAnchor[],
  ): void {
    for (const { anchorId, hash, size, ...inclusion } of anchors) {
      const content = { hash, size };
      this.#ended(anchorId, { outcome: { state: "confirmed", ...inclusion }, content, fault: undefined });
    }
    const byId = new Map(outcomes);
    for (const { anchor } of [...this.#inFlight.values()]) {
      const outcome = anchor && byId.get(anchor.transactionId);
      if (anchor === undefined || outcome === undefined) continue;
      const reason = failureOf(outcome);
      if (reason === undefined) {
        // It has confirmed nothing, or is on disk though its write has failed.
        this.#unread.add(anchor.id);
        void this.#readUnread();
        continue;
      }
      this.#deps.failed.add(anchor, reason);
      this.#ended(anchor.id, { outcome: { state: "failed", reason }, content: anchor, fault: undefined });
    }
  }

  #ended(anchorId: number, state: AnchorState): void {
    const tracked = this.#inFlight.get(anchorId);
    if (tracked !== undefined) {
      this.#inFlight.delete(anchorId);
      this.#resize(tracked, 0);
      if (tracked.isShared) this.#sharedBatches -= 1;
    }
    if (state.outcome.state === "confirmed") {
      const now = this.#deps.clock();
      for (const accepted of tracked?.acceptedAt ?? [])
        this.#deps.telemetry.proofConfirmed(Math.max(0, now - accepted) / 1000);
      this.#deps.failed.delete(anchorId);
    }
    // The next batch is sent before the callers are notified, so that the chain does not idle.
    for (const listener of this.#listeners) listener();
    this.#waiters.wake(anchorId, state);
  }
}

/** Returns why a transaction has failed; `undefined` when it has not. */
function failureOf(outcome: TransactionOutcome): string | undefined {
  switch (outcome.state) {
    case "pending":
    case "confirmed":
      return undefined;
    case "cancelled":
      return outcome.state;
    default:
      return outcome.reason;
  }
}
