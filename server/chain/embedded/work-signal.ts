/** Wakes one loop for work, at a time, or for its end. */
export class WorkSignal {
  #signalled = false;
  #stopped = false;
  #wake: () => void = () => undefined;

  /** There is work. */
  signal(): void {
    this.#signalled = true;
    this.#wake();
  }

  /** Ends this and every later wait. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** Waits until {@link WorkSignal.signal} was called since the last wait. */
  async signalled(): Promise<void> {
    while (!this.#signalled && !this.#stopped) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#signalled = false;
  }

  /** Waits until a time of `performance.now()`. */
  async sleepUntil(time: number): Promise<void> {
    while (!this.#stopped && performance.now() < time) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, time - performance.now()));
        this.#wake = () => {
          if (!this.#stopped) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
