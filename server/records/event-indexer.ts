import type { Clock } from "../kit/time.ts";
import type { EventLog, RecordIndex, RecordIndexStore, RowWrite } from "./record-index.ts";

/** A step of the event indexer. */
type SyncEvent =
  /** The indexer starts, or found its last block on the chain again. */
  | { readonly kind: "resumed"; readonly after: number; readonly head: number }
  | { readonly kind: "indexed"; readonly from: number; readonly to: number; readonly rows: number }
  /** The indexed blocks are not on the chain; the index is built again. */
  | { readonly kind: "rebuilding"; readonly reason: string }
  | { readonly kind: "failing"; readonly reason: string };

/** A step with the Unix milliseconds of its end. */
export type SyncStep = SyncEvent & { readonly time: number };

const MAX_STEPS = 100;

/** The newest steps of the event indexer since the server's start. Blocks without rows make one step. */
export class SyncLog {
  readonly #clock: Clock;
  readonly #steps: SyncStep[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(event: SyncEvent): void {
    const step = { ...event, time: this.#clock() };
    const last = this.#steps.at(-1);
    const joined = last && join(last, step);
    if (joined !== undefined) this.#steps[this.#steps.length - 1] = joined;
    else this.#steps.push(step);
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
  }

  /** Returns the steps, newest first. */
  newest(limit: number): readonly SyncStep[] {
    return this.#steps.slice(-limit).reverse();
  }
}

/** Returns one step for two of the same kind that differ in their time or blocks only. */
function join(last: SyncStep, next: SyncStep): SyncStep | undefined {
  if (last.kind === "indexed" && next.kind === "indexed")
    return last.rows === 0 && next.rows === 0 && last.to + 1 === next.from ? { ...next, from: last.from } : undefined;
  if (last.kind === "failing" && next.kind === "failing") return last.reason === next.reason ? next : undefined;
  return undefined;
}

/** Maximum blocks per log query; below the limit of every common node. */
const MAX_BLOCK_RANGE = 1_000;

/** Delay before a retry. */
const RETRY_MILLISECONDS = 1_000;

/** Maximum time that a node may lag behind the index before the chain counts as a different one. */
const LAG_MILLISECONDS = 12_000;

/** State changes of the indexer. */
export type IndexerEvent =
  | Exclude<SyncEvent, { readonly kind: "failing" }>
  | { readonly kind: "foreign_rows"; readonly writes: readonly RowWrite[] }
  | { readonly kind: "failing"; readonly error: unknown };

/**
 * Indexes the contracts' events in the record index. Each batch commits rows and progress together, so that a crash
 * leaves a consistent, lagging index. If the indexed block is not on the chain, drops the index and rebuilds it.
 */
export class EventIndexer implements RecordIndex {
  readonly #chain: EventLog;
  readonly #store: RecordIndexStore;
  readonly #onEvent: (event: IndexerEvent) => void;
  readonly #lagMilliseconds: number;
  readonly #waiters = new Set<() => void>();
  #indexedTo = -1;
  #verified = false;
  /** Time since which the node lacks the last indexed block. */
  #laggingSince: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #target = -1;
  /** The newest block that the chain was seen to have. */
  #head = -1;
  #rebuildReason: string | undefined;
  #stopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    chain: EventLog,
    store: RecordIndexStore,
    onEvent: (event: IndexerEvent) => void,
    lagMilliseconds = LAG_MILLISECONDS,
  ) {
    this.#lagMilliseconds = lagMilliseconds;
    this.#chain = chain;
    this.#store = store;
    this.#onEvent = onEvent;
  }

  /** Indexes up to a new head. */
  onHead(blockNumber: number): void {
    this.#head = Math.max(this.#head, blockNumber);
    this.#indexTo(blockNumber);
  }

  #indexTo(blockNumber: number): void {
    this.#target = Math.max(this.#target, blockNumber);
    if (blockNumber < this.#indexedTo) {
      // The node lags, or the chain was rolled back and may continue with different blocks.
      this.#verified = false;
      this.#target = blockNumber;
    }
    this.#running = this.#running.then(() => this.#index());
  }

  /** Whether blocks are to be indexed that the chain has. */
  get isBehind(): boolean {
    return this.#rebuildReason !== undefined || this.#indexedTo < this.#target;
  }

  /** Drops the index, and builds it again from the chain, also when no further block arrives. */
  rebuild(reason: string): void {
    this.#rebuildReason = reason;
    this.#indexTo(this.#target);
  }

  async #drop(reason: string): Promise<void> {
    this.#onEvent({ kind: "rebuilding", reason });
    await this.#store.drop();
    this.#indexedTo = this.#chain.firstBlock - 1;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#running;
    for (const wake of this.#waiters) wake();
  }

  async waitForBlock(blockNumber: number, waitMilliseconds: number): Promise<boolean> {
    if (this.#indexedTo >= blockNumber) return true;
    const deadline = performance.now() + waitMilliseconds;
    // The caller has read of the block; the head watcher may notify later.
    this.#indexTo(blockNumber);
    while (this.#indexedTo < blockNumber && !this.#stopped) {
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await this.#nextUpdate(left);
    }
    return this.#indexedTo >= blockNumber;
  }

  #nextUpdate(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      clearTimeout(timer);
      this.#waiters.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    this.#waiters.add(wake);
    return promise;
  }

  async #index(): Promise<void> {
    if (this.#stopped) return;
    try {
      if (this.#rebuildReason !== undefined) await this.#drop(this.#rebuildReason);
      this.#rebuildReason = undefined;
      if (this.#verified && this.#indexedTo >= this.#target) return;
      if (!(await this.#checkProgress())) return this.#scheduleRetry();
      while (this.#indexedTo < this.#target && !this.#stopped) {
        const to = Math.min(this.#target, this.#indexedTo + MAX_BLOCK_RANGE);
        const hash = await this.#chain.blockHash(to);
        if (hash === undefined) {
          // Who waits for a block that there is not keeps nobody else waiting.
          this.#target = Math.min(this.#target, Math.max(this.#head, this.#indexedTo));
          return this.#scheduleRetry();
        }
        const entries = await this.#chain.entries(this.#indexedTo + 1, to);
        const after = this.#indexedTo < this.#chain.firstBlock ? undefined : this.#indexedTo;
        const foreign = await this.#store.apply(entries, after, to, hash, this.#target);
        if (foreign === undefined) {
          // Another process moved the position, or somebody changed it.
          this.#verified = false;
          if (await this.#checkProgress()) continue;
          return this.#scheduleRetry();
        }
        if (foreign.length > 0) this.#onEvent({ kind: "foreign_rows", writes: foreign });
        const rows = entries.filter(({ kind }) => kind === "row").length;
        this.#onEvent({ kind: "indexed", from: this.#indexedTo + 1, to, rows });
        this.#advanceTo(to);
      }
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** The index lags but is consistent. */
  #onFailure(error: unknown): void {
    this.#onEvent({ kind: "failing", error });
    this.#scheduleRetry();
  }

  #advanceTo(blockNumber: number): void {
    this.#indexedTo = blockNumber;
    for (const wake of this.#waiters) wake();
  }

  /** Continues after a delay, even if no further block arrives. */
  #scheduleRetry(): void {
    clearTimeout(this.#retry);
    if (!this.#stopped) this.#retry = setTimeout(() => this.#indexTo(this.#target), RETRY_MILLISECONDS);
  }

  /**
   * Reads the index's progress and compares its last block with the chain. Drops an index of a different chain.
   * @returns false if the node may only lag
   */
  async #checkProgress(): Promise<boolean> {
    if (this.#verified) return true;
    const progress = await this.#store.progress();
    if (progress === undefined) {
      if (this.#indexedTo >= this.#chain.firstBlock)
        this.#onEvent({ kind: "rebuilding", reason: "the record index was dropped, or its position was changed" });
      this.#indexedTo = this.#chain.firstBlock - 1;
    } else {
      const hash = await this.#chain.blockHash(progress.blockNumber);
      if (hash !== undefined && Buffer.compare(hash, progress.blockHash) === 0) {
        // Blocks of another process are as good as own ones: nothing was interrupted.
        const isContinued = this.#indexedTo >= this.#chain.firstBlock && progress.blockNumber > this.#indexedTo;
        // Another process may have indexed the block that a caller waits for.
        this.#advanceTo(progress.blockNumber);
        this.#laggingSince = undefined;
        if (!isContinued) this.#onEvent({ kind: "resumed", after: progress.blockNumber, head: this.#target });
      } else if (hash === undefined && this.#withinLagTolerance()) {
        return false;
      } else {
        await this.#drop(`the chain was reorganised: its block ${progress.blockNumber} is not the indexed one`);
      }
    }
    this.#verified = true;
    return true;
  }

  /** Whether a missing block can be explained by a lagging node. */
  #withinLagTolerance(): boolean {
    this.#laggingSince ??= performance.now();
    return performance.now() - this.#laggingSince < this.#lagMilliseconds;
  }
}
