import PQueue from "p-queue";

/**
 * Runs a limited amount of work of the same key at a time, in the order of its arrival, and of several keys. The keys
 * take turns: after each piece of work a key waits behind the others.
 */
export class KeyedQueue<Key = number> {
  readonly #slots: PQueue;
  readonly #byKey = new Map<Key, PQueue>();
  #size = 0;

  readonly #perKey: number;

  /**
   * @param atOnce Maximum of work that runs at a time
   * @param perKey The same for each key
   */
  constructor(atOnce: number, perKey = 1) {
    this.#slots = new PQueue({ concurrency: atOnce });
    this.#perKey = perKey;
  }

  /** Pieces of work that run or wait. */
  get size(): number {
    return this.#size;
  }

  /** Returns how many pieces of work of a key run or wait. */
  sizeOf(key: Key): number {
    const queue = this.#byKey.get(key);
    return queue === undefined ? 0 : queue.size + queue.pending;
  }

  /** @returns the result of the work; never settles for work that {@link stop} keeps from starting */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const queue = this.#byKey.get(key) ?? new PQueue({ concurrency: this.#perKey });
    this.#byKey.set(key, queue);
    this.#size += 1;
    try {
      return await queue.add(() => this.#slots.add(work));
    } finally {
      this.#size -= 1;
      if (queue.size + queue.pending === 0) this.#byKey.delete(key);
    }
  }

  /** Starts no further work, and returns when the running work has ended. */
  async stop(): Promise<void> {
    for (const queue of this.#byKey.values()) queue.clear();
    this.#slots.clear();
    await this.#slots.onIdle();
  }
}
