import type { TransactionOutcome } from "../transaction.ts";

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
    const { promise: recorded, resolve: wake } = Promise.withResolvers<TransactionOutcome | undefined>();
    const waiting = this.#waiting.get(id) ?? new Set<Wake>();
    this.#waiting.set(id, waiting.add(wake));
    const timer = setTimeout(wake, milliseconds, undefined);
    try {
      const known = await this.#read(id);
      if (known.state !== "pending" || this.#released || milliseconds <= 0) return known;
      return (await recorded) ?? (await this.#read(id));
    } finally {
      clearTimeout(timer);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
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
}
