import { setTimeout as sleep } from "node:timers/promises";
import type { AnchorState, AnchorsInFlight } from "./anchoring.ts";
import { hashesUnder, type StoredAnchor } from "../journal/integrity/anchor.ts";
import { type AnchorRepair, remedyFor } from "./anchor-repair.ts";
import type { Clock } from "../kit/clock.ts";
import type { ProofEvents } from "./events.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { TransactionOutcome } from "../chain/transaction.ts";

/** How often the journal is asked what became of a transaction that another relayer may have taken over. */
const ASK_AGAIN_MILLISECONDS = 5_000;
/** Before a journal that cannot be read is asked again. */
const JOURNAL_PAUSE_MILLISECONDS = 1_000;

export interface AnchorFollowerDeps {
  readonly transactions: Pick<Transactions, "outcome" | "wake">;
  readonly repair: AnchorRepair;
  readonly telemetry: ProofEvents;
  readonly clock: Clock;
}

interface Followed {
  readonly waiters: Set<(state: AnchorState | undefined) => void>;
  /** When each of its proofs was accepted, as far as this process knows. */
  readonly acceptedAt: number[];
  size: number;
}

/** Follows anchors from their opening to their end, tells whoever waits for them, and has failed ones mended. */
export class AnchorFollower implements AnchorsInFlight {
  readonly #deps: AnchorFollowerDeps;
  readonly #followed = new Map<number, Followed>();
  readonly #tracking = new Set<Promise<void>>();
  readonly #listeners = new Set<(anchorId: number) => void>();
  #outstanding = 0;
  #waiting = 0;
  #released = false;

  constructor(deps: AnchorFollowerDeps) {
    this.#deps = deps;
  }

  /** Hashes under anchors that have no outcome, with those of the open one. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @param listener told each time an anchor has come to its end */
  onSettled(listener: (anchorId: number) => void): void {
    this.#listeners.add(listener);
  }

  /** Says that proofs were placed under an anchor. */
  placed(anchorId: number, acceptedAt: readonly number[]): void {
    const followed = this.#entry(anchorId);
    followed.acceptedAt.push(...acceptedAt);
    followed.size += acceptedAt.length;
    this.#outstanding += acceptedAt.length;
  }

  /** Says that an anchor was closed and its transaction is on its way. */
  closed(anchor: StoredAnchor): void {
    const followed = this.#entry(anchor.id);
    this.#outstanding += hashesUnder(anchor) - followed.size;
    followed.size = hashesUnder(anchor);
    const tracking = this.#track(anchor, followed).finally(() => this.#tracking.delete(tracking));
    this.#tracking.add(tracking);
  }

  /** Says that another relayer looks after an anchor from now on: whoever waits for it asks the journal. */
  forget(anchorId: number): void {
    const followed = this.#followed.get(anchorId);
    if (followed === undefined) return;
    this.#outstanding -= followed.size;
    this.#followed.delete(anchorId);
    for (const tell of followed.waiters) tell(undefined);
  }

  state(anchorId: number, waitMilliseconds: number): Promise<AnchorState | undefined> {
    const followed = this.#followed.get(anchorId);
    if (followed === undefined) return Promise.resolve(undefined);
    const pending: AnchorState = { outcome: { state: "pending" }, content: undefined };
    if (this.#released || waitMilliseconds <= 0) return Promise.resolve(pending);
    return new Promise((resolve) => {
      const tell = (state: AnchorState | undefined): void => {
        clearTimeout(timer);
        this.#waiting -= 1;
        followed.waiters.delete(tell);
        resolve(state);
      };
      const timer = setTimeout(tell, waitMilliseconds, pending);
      this.#waiting += 1;
      followed.waiters.add(tell);
    });
  }

  /** Lets nobody wait any longer: what has no outcome yet is answered as pending. */
  release(): void {
    this.#released = true;
    const pending: AnchorState = { outcome: { state: "pending" }, content: undefined };
    for (const { waiters } of this.#followed.values()) for (const tell of waiters) tell(pending);
  }

  /** Ends when nothing is followed any more; the transactions have to be released before. */
  async stop(): Promise<void> {
    this.release();
    await Promise.all(this.#tracking);
  }

  #entry(anchorId: number): Followed {
    const known = this.#followed.get(anchorId);
    if (known !== undefined) return known;
    const followed: Followed = { waiters: new Set(), acceptedAt: [], size: 0 };
    this.#followed.set(anchorId, followed);
    return followed;
  }

  async #track(anchor: StoredAnchor, followed: Followed): Promise<void> {
    const outcome = await this.#outcomeOf(anchor.transactionId);
    if (outcome === undefined) return;
    this.#outstanding -= followed.size;
    this.#followed.delete(anchor.id);
    const now = this.#deps.clock();
    if (outcome.state === "confirmed") {
      for (const accepted of followed.acceptedAt) this.#deps.telemetry.proofConfirmed((now - accepted) / 1000);
    } else {
      await this.#failed(anchor, outcome.state === "cancelled" ? "cancelled" : outcome.reason);
    }
    // The next batch is on its way before the callers are answered: the chain works meanwhile.
    for (const listener of this.#listeners) listener(anchor.id);
    const state: AnchorState | undefined =
      outcome.state === "confirmed"
        ? { outcome: { state: "confirmed", transactionHash: outcome.hash, block: outcome.block }, content: anchor }
        : undefined;
    for (const tell of followed.waiters) tell(state);
  }

  /** `undefined` when this process ends before there is one. */
  async #outcomeOf(transactionId: number): Promise<Exclude<TransactionOutcome, { state: "pending" }> | undefined> {
    while (!this.#released) {
      const outcome = await this.#deps.transactions
        .outcome(transactionId, ASK_AGAIN_MILLISECONDS)
        .catch(() => sleep(JOURNAL_PAUSE_MILLISECONDS, undefined, { ref: false }));
      if (outcome !== undefined && outcome.state !== "pending") return outcome;
    }
    return undefined;
  }

  async #failed(anchor: StoredAnchor, reason: string): Promise<void> {
    const { repair, telemetry, transactions } = this.#deps;
    if (remedyFor(anchor, reason) === "retry") {
      telemetry.anchorFailed(anchor.hash, hashesUnder(anchor), reason);
      return;
    }
    telemetry.anchorSplit(hashesUnder(anchor), reason);
    // What cannot be mended now is mended by the next retry: it is on disk that it failed.
    const deps = await repair.mend(anchor.id).catch(() => []);
    for (const part of deps) this.closed(part);
    if (deps.length > 0) transactions.wake();
  }
}
