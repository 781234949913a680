import type { TransactionOutcome } from "../transaction.ts";

/** Interval at which an outcome is read that another relayer may record. */
const READ_INTERVAL_MILLISECONDS = 1_000;

/** Callers that wait for the outcomes of transactions. Each outcome is read from disk. */
export class OutcomeWaiters {
  readonly #read: (id: number) => Promise<TransactionOutcome>;
  readonly #waiting = new Map<number, Set<() => void>>();
  #released = false;

  constructor(read: (id: number) => Promise<TransactionOutcome>) {
    this.#read = read;
  }

  /** Returns the outcome as soon as there is one; `pending` when there is none after the wait. */
  async wait(id: number, milliseconds: number): Promise<TransactionOutcome> {
    for (const end = performance.now() + milliseconds; ;) {
      const left = Math.max(0, end - performance.now());
      const woken = this.#sleep(id, Math.min(left, READ_INTERVAL_MILLISECONDS));
      const outcome = await this.#read(id);
      if (outcome.state !== "pending" || this.#released || left === 0) {
        woken.cancel();
        return outcome;
      }
      await woken.promise;
    }
  }

  /** Wakes the callers that wait for one of these transactions. */
  recorded(ids: readonly number[]): void {
    for (const id of ids) for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  /** Ends every wait, now and later: the process is about to end. */
  release(): void {
    this.#released = true;
    this.recorded([...this.#waiting.keys()]);
  }

  #sleep(id: number, milliseconds: number): { promise: Promise<void>; cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting);
    const wake = (): void => {
      clearTimeout(timer);
      waiting.delete(wake);
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    waiting.add(wake);
    return { promise, cancel: wake };
  }
}
