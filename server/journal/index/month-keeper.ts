/** Partitions are made months ahead: that one start or another fails does no harm. */
const INTERVAL_MILLISECONDS = 60 * 60_000;

/** Has the journal make room for the coming months, now and then. */
export class MonthKeeper {
  readonly #prepare: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  /** @param onFailure Told why it did not work; the next time comes all the same */
  constructor(prepare: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#prepare = prepare;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(this.#prepare).catch(this.#onFailure);
    }, INTERVAL_MILLISECONDS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}
