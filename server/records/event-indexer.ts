import type { ChainLog, RecordIndexStore, RecordIndex } from "./record-index.ts";

/** Blocks taken over at once: small enough for any node's limit on log queries. */
const BLOCKS_AT_ONCE = 1_000;

/** How soon it tries again after a failure. */
const RETRY_MILLISECONDS = 1_000;

/** How long a node may lag behind the copy before the chain counts as another one. */
const LAG_MILLISECONDS = 12_000;

/** What the follower reports. */
export type FollowerEvent =
  | { readonly kind: "catching_up"; readonly from: number; readonly to: number }
  | { readonly kind: "rebuilding"; readonly reason: string }
  | { readonly kind: "failing"; readonly error: unknown };

/**
 * Keeps the local copy of the event table in step with the chain's log. The copy and how far it reaches are written
 * together, so that a crash leaves a copy that is merely behind. When the chain is not the one that the copy was made
 * from, the copy is dropped and built again.
 */
export class EventIndexer implements RecordIndex {
  readonly #chain: ChainLog;
  readonly #store: RecordIndexStore;
  readonly #onEvent: (event: FollowerEvent) => void;
  readonly #lagMilliseconds: number;
  readonly #waiting = new Set<() => void>();
  #reached = -1;
  #checked = false;
  /** Since when the node does not have the block that the copy reaches to. */
  #missingSince: number | undefined;
  #work: Promise<void> = Promise.resolve();
  #wanted = -1;
  #stopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    chain: ChainLog,
    store: RecordIndexStore,
    onEvent: (event: FollowerEvent) => void,
    lagMilliseconds = LAG_MILLISECONDS,
  ) {
    this.#lagMilliseconds = lagMilliseconds;
    this.#chain = chain;
    this.#store = store;
    this.#onEvent = onEvent;
  }

  /** Told of every new head. */
  onHead(blockNumber: number): void {
    this.#wanted = Math.max(this.#wanted, blockNumber);
    if (blockNumber < this.#reached) {
      // The node lags, or the chain came back older than it was and may go on with other blocks.
      this.#checked = false;
      this.#wanted = blockNumber;
    }
    this.#work = this.#work.then(() => this.#follow());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#work;
    for (const wake of this.#waiting) wake();
  }

  async reached(blockNumber: number, waitMilliseconds: number): Promise<boolean> {
    if (this.#reached >= blockNumber) return true;
    const deadline = Date.now() + waitMilliseconds;
    // Whoever waits has seen the block; the head watcher may hear of it only later.
    this.onHead(blockNumber);
    while (this.#reached < blockNumber && !this.#stopped) {
      const left = deadline - Date.now();
      if (left <= 0) return false;
      await this.#nextStep(left);
    }
    return this.#reached >= blockNumber;
  }

  #nextStep(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    this.#waiting.add(wake);
    return promise;
  }

  async #follow(): Promise<void> {
    if (this.#stopped || (this.#checked && this.#reached >= this.#wanted)) return;
    try {
      if (!(await this.#start())) return this.#tryLater();
      if (this.#wanted - this.#reached > BLOCKS_AT_ONCE) {
        this.#onEvent({ kind: "catching_up", from: this.#reached + 1, to: this.#wanted });
      }
      while (this.#reached < this.#wanted && !this.#stopped) {
        const to = Math.min(this.#wanted, this.#reached + BLOCKS_AT_ONCE);
        const hash = await this.#chain.blockHash(to);
        if (hash === undefined) return this.#tryLater();
        const entries = await this.#chain.entries(this.#reached + 1, to);
        const after = this.#reached < this.#chain.firstBlock ? undefined : this.#reached;
        if (!(await this.#store.apply(entries, after, to, hash))) {
          this.#onEvent({ kind: "rebuilding", reason: "the copy was changed by somebody else" });
          this.#checked = false;
          return this.#tryLater();
        }
        this.#reached = to;
        for (const wake of this.#waiting) wake();
      }
    } catch (error) {
      // The copy is behind but whole.
      this.#onEvent({ kind: "failing", error });
      this.#tryLater();
    }
  }

  /** Goes on where the copy stands, also when no further block comes. */
  #tryLater(): void {
    clearTimeout(this.#retry);
    if (!this.#stopped) this.#retry = setTimeout(() => this.onHead(this.#wanted), RETRY_MILLISECONDS);
  }

  /**
   * Finds out where the copy stands.
   * @returns whether it is clear that it was made from this chain
   */
  async #start(): Promise<boolean> {
    if (this.#checked) return true;
    const progress = await this.#store.progress();
    if (progress === undefined) {
      this.#reached = this.#chain.firstBlock - 1;
    } else {
      const hash = await this.#chain.blockHash(progress.blockNumber);
      if (hash !== undefined && Buffer.compare(hash, progress.blockHash) === 0) {
        this.#reached = progress.blockNumber;
        this.#missingSince = undefined;
      } else if (hash === undefined && this.#mayLag()) {
        return false;
      } else {
        this.#onEvent({
          kind: "rebuilding",
          reason: `block ${progress.blockNumber} is not the one the copy was made from`,
        });
        await this.#store.drop();
        this.#reached = this.#chain.firstBlock - 1;
      }
    }
    this.#checked = true;
    return true;
  }

  /** Whether a block that the node does not have may only not have come to it yet. */
  #mayLag(): boolean {
    this.#missingSince ??= Date.now();
    return Date.now() - this.#missingSince < this.#lagMilliseconds;
  }
}
