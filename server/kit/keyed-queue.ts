import PQueue from "p-queue";
import { SealbookError } from "../errors.ts";

/** Limits of the work that is accepted. */
export interface QueueBounds {
  /** Names the work in messages, in the plural. */
  readonly jobs: string;
  /** Maximum of unfinished work of a key. */
  readonly perKey: number;
  /** The same of all keys; a key without work is accepted nevertheless. */
  readonly all?: number;
}

const KEY_RETRY_SECONDS = 1;
const ALL_RETRY_SECONDS = 5;

/**
 * Runs a limited amount of work of the same key at a time, in the order of its arrival, and of several keys. The keys
 * take turns: after each piece of work a key waits behind the others.
 */
export class KeyedQueue<Key = number> {
  readonly #slots: PQueue;
  readonly #byKey = new Map<Key, PQueue>();
  readonly #perKey: number;
  readonly #bounds: QueueBounds | undefined;
  #size = 0;

  /**
   * @param atOnce Maximum of work that runs at a time
   * @param perKey The same for each key
   * @param bounds Unset: all work is accepted
   */
  constructor(atOnce: number, perKey = 1, bounds?: QueueBounds) {
    this.#slots = new PQueue({ concurrency: atOnce });
    this.#perKey = perKey;
    this.#bounds = bounds;
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

  /**
   * @returns the result of the work; never settles for work that {@link stop} keeps from starting
   * @throws SealbookError `too_many_requests` or `overloaded` beyond the bounds
   */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    this.#assertRoom(key);
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

  #assertRoom(key: Key): void {
    if (this.#bounds === undefined) return;
    const { jobs, perKey, all = Infinity } = this.#bounds;
    const size = this.sizeOf(key);
    if (size >= perKey) {
      throw new SealbookError(
        "too_many_requests",
        `too many ${jobs} of this caller are in flight; at most ${perKey} at a time`,
        { retryAfterSeconds: KEY_RETRY_SECONDS },
      );
    }
    if (size > 0 && this.#size >= all) {
      throw new SealbookError("overloaded", `too many ${jobs} are in flight`, {
        retryAfterSeconds: ALL_RETRY_SECONDS,
      });
    }
  }
}
