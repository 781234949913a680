import { follows, type VerifiedHeader } from "../chain/evidence/verified-block.ts";
import { within } from "../kit/time.ts";
import type { OwnRow, RowWrite } from "./indexed-rows.ts";
import type { EventLog, LogEntry, RecordIndex, RecordIndexStore, WriteBeside } from "./record-index.ts";
import type { SyncEvent } from "./sync-log.ts";

/** Maximum blocks per log query; below the limit of every common node. */
const MAX_BLOCK_RANGE = 1_000;

/** Blocks without an event after which the position is written. */
const BLOCKS_PER_POSITION = 20;

/** Time that outcomes wait for the rows of their blocks to be decoded. */
const MAX_DECODING_MILLISECONDS = 1_000;

/** Delay before a retry. */
const RETRY_MILLISECONDS = 1_000;

/** Maximum time that a node may lag behind the index before the chain counts as a different one. */
const LAG_MILLISECONDS = 12_000;

/** State changes of the indexer. */
export type IndexerEvent =
  | Exclude<SyncEvent, { readonly kind: "failing" }>
  | { readonly kind: "own_rows"; readonly rows: readonly OwnRow[] }
  | { readonly kind: "foreign_rows"; readonly writes: readonly RowWrite[] }
  | { readonly kind: "failing"; readonly error: unknown };

/** Rows take long to be decoded: they are indexed later. */
class SlowRows extends Error {}

/** Events of a range of blocks. */
interface Range {
  readonly entries: readonly LogEntry[];
  readonly to: number;
  readonly hash: Uint8Array;
}

/**
 * Indexes the contracts' events in the record index. Rows and progress are one commit, so that a crash leaves a
 * consistent, lagging index. If the indexed block is not on the chain, drops the index and rebuilds it.
 *
 * Blocks that the relayer reads for its transactions are indexed in the commit of their outcomes; the events of others
 * are queried.
 */
export class EventIndexer implements RecordIndex {
  readonly #chain: EventLog;
  readonly #store: RecordIndexStore;
  readonly #onEvent: (event: IndexerEvent) => void;
  readonly #lagMilliseconds: number;
  readonly #waiters = new Set<() => void>();
  #indexedTo = -1;
  /** Hash of the last indexed block. */
  #hash: Uint8Array | undefined;
  /** The position on disk, a few blocks without events behind; `undefined` before the first one. */
  #storedTo: number | undefined;
  #verified = false;
  /** Time since which the node lacks the last indexed block. */
  #laggingSince: number | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Work that runs or waits. */
  #turns = 0;
  #isWaiting = false;
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
    // One that waits indexes all that came until its turn.
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#inTurn(async () => {
      this.#isWaiting = false;
      await this.#index();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#running.then(work);
    const end = (): void => void (this.#turns -= 1);
    this.#turns += 1;
    this.#running = done.then(end, end);
    return done;
  }

  /**
   * Indexes verified blocks in one commit with what else they have brought. An index that is being written, does not
   * continue with them, or cannot read them, reads its blocks later.
   * @param write Writes the rest; inside the transaction
   */
  record(blocks: readonly VerifiedHeader[], write: WriteBeside): Promise<void> {
    // Outcomes do not wait for a query.
    if (this.#turns > 0) return this.#store.write(write);
    return this.#inTurn(async () => {
      const range = await this.#rangeOf(blocks);
      if (range === undefined) return this.#store.write(write);
      try {
        await this.#apply(range, write);
      } catch (error) {
        // What the index cannot take keeps no outcome from the disk: the next ones are written alone.
        this.#verified = false;
        throw error;
      }
    });
  }

  /** Returns `undefined` for blocks that are not next. */
  async #rangeOf(blocks: readonly VerifiedHeader[]): Promise<Range | undefined> {
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const areJoined = blocks.every((block, at) => at === 0 || follows(block, blocks[at - 1]?.reference.hash));
    if (!areJoined || !this.#isNext(first)) {
      // Another block is before it: the chain was reorganised.
      if (first.reference.number === this.#indexedTo + 1) this.#verified = false;
      return undefined;
    }
    try {
      const entries = await within(MAX_DECODING_MILLISECONDS, this.#chain.entriesIn(blocks), () => new SlowRows());
      return this.#isNext(first) ? { entries, to: last.reference.number, hash: last.reference.hash } : undefined;
    } catch (error) {
      if (!(error instanceof SlowRows)) this.#onEvent({ kind: "failing", error });
      return undefined;
    }
  }

  #isNext({ reference, parentHash }: VerifiedHeader): boolean {
    const isIntact = this.#verified && this.#rebuildReason === undefined && !this.#stopped;
    return isIntact && reference.number === this.#indexedTo + 1 && follows({ parentHash }, this.#hash);
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
    this.#beginAnew();
  }

  #beginAnew(): void {
    this.#indexedTo = this.#chain.firstBlock - 1;
    this.#storedTo = undefined;
    this.#hash = undefined;
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
        const range = { entries: await this.#chain.entries(this.#indexedTo + 1, to), to, hash };
        if (!(await this.#apply(range)) && !(await this.#checkProgress())) return this.#scheduleRetry();
      }
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /**
   * Writes a range of blocks, if there is something to write.
   * @returns false when the position is another one: nothing is indexed
   */
  async #apply({ entries, to, hash }: Range, write?: WriteBeside): Promise<boolean> {
    const isDue = this.#storedTo === undefined || to - this.#storedTo >= BLOCKS_PER_POSITION;
    if (write !== undefined && !isDue && entries.length === 0) await this.#store.write(write);
    else if (isDue || entries.length > 0) {
      const head = Math.max(this.#target, to);
      const written = await this.#store.apply({ entries, after: this.#storedTo, to, hash, head }, write);
      this.#verified = written !== undefined;
      if (written === undefined) return false;
      this.#storedTo = to;
      if (written.foreign.length > 0) this.#onEvent({ kind: "foreign_rows", writes: written.foreign });
      if (written.own.length > 0) this.#onEvent({ kind: "own_rows", rows: written.own });
    }
    const rows = entries.filter(({ kind }) => kind === "row").length;
    this.#onEvent({ kind: "indexed", from: this.#indexedTo + 1, to, rows });
    this.#target = Math.max(this.#target, to);
    this.#advanceTo(to, hash);
    return true;
  }

  /** The index lags but is consistent. */
  #onFailure(error: unknown): void {
    this.#verified = false;
    this.#onEvent({ kind: "failing", error });
    this.#scheduleRetry();
  }

  #advanceTo(blockNumber: number, hash: Uint8Array): void {
    this.#indexedTo = blockNumber;
    this.#hash = hash;
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
      this.#beginAnew();
    } else {
      const hash = await this.#chain.blockHash(progress.blockNumber);
      if (hash !== undefined && Buffer.compare(hash, progress.blockHash) === 0) {
        this.#storedTo = progress.blockNumber;
        this.#advanceTo(progress.blockNumber, progress.blockHash);
        this.#laggingSince = undefined;
        this.#onEvent({ kind: "resumed", after: progress.blockNumber, head: this.#target });
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
