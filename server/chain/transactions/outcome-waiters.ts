import type { TransactionOutcome } from "../transaction.ts";

/** Interval at which an outcome is read again: a write that failed can be on disk. */
const READ_INTERVAL_MILLISECONDS = 1_000;

/** Ends a wait, with the outcome when it is known. */
type Wake = (outcome?: TransactionOutcome) => void;

/** Callers that wait for the outcomes of transactions, which are handed to them when they are on disk. */
export class OutcomeWaiters {
  readonly #read: (id: number) => Promise<TransactionOutcome>;
  readonly #waiting = new Map<number, Set<Wake>>();
  #released = false;

  /** @param read Reads an outcome from disk */
  constructor(read: (id: number) => Promise<TransactionOutcome>) {
    this.#read = read;
  }

  /** Returns the outcome as soon as there is one; `pending` when there is none after the wait. */
  async wait(id: number, milliseconds: number): Promise<TransactionOutcome> {
    for (const end = performance.now() + milliseconds; ;) {
      const left = Math.max(0, end - performance.now());
      const woken = this.#sleep(id, Math.min(left, READ_INTERVAL_MILLISECONDS));
      const known = await this.#read(id);
      if (known.state !== "pending" || this.#released || left === 0) {
        woken.cancel();
        return known;
      }
      const recorded = await woken.promise;
      if (recorded !== undefined) return recorded;
    }
  }

  /** Hands outcomes that are on disk to the callers that wait for them. */
  recorded(outcomes: Iterable<readonly [id: number, outcome: TransactionOutcome]>): void {
    for (const [id, outcome] of outcomes) for (const wake of this.#waiting.get(id) ?? []) wake(outcome);
  }

  /** Ends every wait, now and later: the process is about to end. */
  release(): void {
    this.#released = true;
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  #sleep(id: number, milliseconds: number): { promise: Promise<TransactionOutcome | undefined>; cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<TransactionOutcome | undefined>();
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting);
    const wake: Wake = (outcome) => {
      clearTimeout(timer);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
      resolve(outcome);
    };
    const timer = setTimeout(wake, milliseconds);
    waiting.add(wake);
    return { promise, cancel: wake };
  }
}
