/** A wait that ends with a value, or without one. */
interface Wait<Value> {
  /** `undefined` when there was no value in time. */
  readonly value: Promise<Value | undefined>;
  /** Forgets the wait. */
  end(): void;
}

/** Callers that wait, each for the value of a key. */
export class Waiters<Key, Value> {
  readonly #waiting = new Map<Key, Set<(value?: Value) => void>>();
  #count = 0;
  #isReleased = false;

  /** Number of waits that have not ended. */
  get count(): number {
    return this.#count;
  }

  /** Begins a wait. Who begins before reading misses no value that comes during the read. */
  begin(key: Key, milliseconds: number): Wait<Value> {
    const { promise: value, resolve: wake } = Promise.withResolvers<Value | undefined>();
    if (this.#isReleased || milliseconds <= 0) wake(undefined);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(wake));
    const timer = setTimeout(wake, Math.max(0, milliseconds), undefined);
    this.#count += 1;
    return {
      value,
      end: () => {
        clearTimeout(timer);
        this.#count -= 1;
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
      },
    };
  }

  /** Hands a value to those who wait for its key. */
  wake(key: Key, value: Value): void {
    for (const wake of this.#waiting.get(key) ?? []) wake(value);
  }

  /** Ends every wait without a value. */
  wakeAll(): void {
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /** Ends every wait, now and later. */
  release(): void {
    this.#isReleased = true;
    this.wakeAll();
  }
}
