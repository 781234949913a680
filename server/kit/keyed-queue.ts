import PQueue from "p-queue";

/**
 * Runs work of the same key one after the other, in the order of its arrival, and work of several keys at a time. The
 * keys take turns: after each piece of work a key waits behind the others.
 */
export class KeyedQueue {
  readonly #slots: PQueue;
  readonly #byKey = new Map<number, PQueue>();

  /** @param atOnce Maximum of keys whose work runs at a time */
  constructor(atOnce: number) {
    this.#slots = new PQueue({ concurrency: atOnce });
  }

  /** @param work Handles its own errors; a rejection counts as a programming error */
  run(key: number, work: () => Promise<void>): void {
    const queue = this.#byKey.get(key) ?? new PQueue({ concurrency: 1 });
    this.#byKey.set(key, queue);
    void queue
      .add(() => this.#slots.add(work))
      .finally(() => {
        if (queue.size + queue.pending === 0) this.#byKey.delete(key);
      });
  }

  /** Starts no further work, and returns when the running work has ended. */
  async stop(): Promise<void> {
    for (const queue of this.#byKey.values()) queue.clear();
    this.#slots.clear();
    await this.#slots.onIdle();
  }
}
