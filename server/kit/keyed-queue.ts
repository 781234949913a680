/** Work in lanes: in each, one piece after the other in the order given; only so many lanes at once. */
export class KeyedQueue {
  readonly #most: number;
  readonly #waiting = new Map<number, (() => Promise<void>)[]>();
  readonly #ready: number[] = [];
  readonly #running = new Set<Promise<void>>();

  /** @param most Lanes that move at a time */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param work must not fail */
  run(lane: number, work: () => Promise<void>): void {
    const waiting = this.#waiting.get(lane);
    if (waiting !== undefined) {
      waiting.push(work);
      return;
    }
    this.#waiting.set(lane, [work]);
    this.#ready.push(lane);
    this.#next();
  }

  /** Begins nothing any more, and ends when what is under way has. */
  async stop(): Promise<void> {
    this.#ready.length = 0;
    for (const waiting of this.#waiting.values()) waiting.length = 0;
    await Promise.all(this.#running);
  }

  #next(): void {
    while (this.#running.size < this.#most) {
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      const moving = this.#move(lane).finally(() => {
        this.#running.delete(moving);
        this.#next();
      });
      this.#running.add(moving);
    }
  }

  /** One piece; the lane then waits behind the others. */
  async #move(lane: number): Promise<void> {
    const waiting = this.#waiting.get(lane) ?? [];
    await waiting.shift()?.();
    if (waiting.length === 0) this.#waiting.delete(lane);
    else this.#ready.push(lane);
  }
}
