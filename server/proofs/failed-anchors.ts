import { hashesUnder, type StoredAnchor } from "../journal/integrity/stored-anchor.ts";
import { Backoff } from "../kit/backoff.ts";
import type { AnchorWriter, ClosedBatch } from "./anchor-writer.ts";
import type { ProofEvents } from "./events.ts";
import type { ProofJournal } from "./proof-store.ts";

/** Delays between retries of failed anchors. */
const RETRY = { firstMilliseconds: 5_000, longestMilliseconds: 10 * 60_000 };
/** Failures of an anchor after which an operator is needed. */
const MOST_FAILURES = 3;

export interface FailedAnchorsDeps {
  readonly journal: Pick<ProofJournal, "anchors">;
  readonly writer: Pick<AnchorWriter, "reanchor">;
  readonly telemetry: Pick<ProofEvents, "anchorFailed" | "anchorRejected" | "anchorsAccepted">;
  /** Called with the number of failed anchors that were given new transactions. */
  readonly onRetry: (count: number) => void;
}

/** Anchors whose transactions were refused, reverted or cancelled: each gets another one, with a backoff. */
export class FailedAnchors {
  readonly #deps: FailedAnchorsDeps;
  readonly #backoff = new Backoff(RETRY);
  /** How often anchors failed, by anchor. */
  readonly #failures = new Map<number, number>();
  /** By `performance.now()`. */
  #retryAt = 0;
  #stopped = false;

  constructor(deps: FailedAnchorsDeps) {
    this.#deps = deps;
  }

  stop(): void {
    this.#stopped = true;
  }

  add(anchor: StoredAnchor, reason: string): void {
    const { telemetry } = this.#deps;
    const times = (this.#failures.get(anchor.id) ?? 0) + 1;
    this.#failures.set(anchor.id, times);
    telemetry.anchorFailed(anchor.hash, hashesUnder(anchor), reason);
    if (times >= MOST_FAILURES) telemetry.anchorRejected(anchor.hash, times, reason);
  }

  /** Forgets an anchor that is confirmed. */
  delete(anchorId: number): void {
    if (!this.#failures.delete(anchorId)) return;
    if ([...this.#failures.values()].every((times) => times < MOST_FAILURES)) this.#deps.telemetry.anchorsAccepted();
  }

  /** Retries failed anchors, at increasing intervals, until none is failed. */
  async retry(track: (anchors: readonly ClosedBatch[]) => void): Promise<void> {
    if (performance.now() < this.#retryAt) return;
    const { journal, writer, onRetry } = this.#deps;
    let count = 0;
    try {
      for (const { id } of await journal.anchors.failed()) {
        if (this.#stopped) break;
        const anchors = await writer.reanchor(id);
        track(anchors);
        count += anchors.length;
      }
      if (count === 0) this.#backoff.reset();
    } catch {
      // The journal cannot be read or written: the next retry comes later.
    }
    if (count > 0) onRetry(count);
    this.#retryAt = performance.now() + this.#backoff.next();
  }
}
