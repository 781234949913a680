import { Waiters } from "../../kit/waiters.ts";
import type { TransactionOutcome } from "../transaction.ts";

/** Callers that wait for the outcomes of transactions, which are handed to them when they are on disk. */
export class OutcomeWaiters {
  readonly #read: (id: number) => Promise<TransactionOutcome>;
  readonly #waiters = new Waiters<number, TransactionOutcome>();

  /** @param read Reads an outcome from disk */
  constructor(read: (id: number) => Promise<TransactionOutcome>) {
    this.#read = read;
  }

  /** Returns the outcome as soon as there is one; `pending` when there is none after the wait. */
  async wait(id: number, milliseconds: number): Promise<TransactionOutcome> {
    const wait = this.#waiters.begin(id, milliseconds);
    try {
      const known = await this.#read(id);
      if (known.state !== "pending" || milliseconds <= 0) return known;
      return (await wait.value) ?? (await this.#read(id));
    } finally {
      wait.end();
    }
  }

  /** Hands outcomes that are on disk to the callers that wait for them. */
  recorded(outcomes: Iterable<readonly [id: number, outcome: TransactionOutcome]>): void {
    for (const [id, outcome] of outcomes) this.#waiters.wake(id, outcome);
  }

  /** Ends every wait, now and later: the process is about to end. */
  release(): void {
    this.#waiters.release();
  }
}
