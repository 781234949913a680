import type { Clock } from "../../kit/clock.ts";
import type { AnvilClient } from "./anvil-client.ts";
import type { BlockEntry, BlockLog } from "./block-log.ts";
import { SealbookError } from "../../errors.ts";
import type { TransactionPool } from "./transaction-pool.ts";
import { WorkSignal } from "./work-signal.ts";

/** Options of a miner. */
export interface MinerOptions {
  readonly node: AnvilClient;
  readonly log: BlockLog;
  readonly pool: TransactionPool;
  readonly blockPeriodSeconds: number;
  readonly wallClock: WallClock;
  /** Called when a block is on disk, with the estimated time of its replay; the next block waits for the promise. */
  readonly onBlock: (entry: BlockEntry, workMs: number) => Promise<void>;
}

/** The clock of block times. */
export interface WallClock {
  readonly now: Clock;
  /** Returns whether the clock was set forward so far that its time must not get into a block. */
  isAhead(): boolean;
}

/** Interval of looks at a clock that is ahead. */
const CLOCK_MILLISECONDS = 250;

/** Estimated time to send a transaction to Anvil. */
const TRANSACTION_MS = 0.3;

interface Made {
  readonly entry: BlockEntry;
  readonly workMs: number;
}

/**
 * Makes blocks in sequence. Anvil mines a block, then it is written to the log, and only then it is visible, because
 * every response waits for {@link Miner.flushed}. So the log never holds a transaction that Anvil refused or crashed
 * on, and no visible block is missing in the log.
 */
export class Miner {
  readonly #options: MinerOptions;
  readonly #wakeup = new WorkSignal();
  #cycle: Promise<void> = Promise.resolve();
  #stopping = false;
  /** Set while Anvil mines: then a waiting transaction may have ended it. */
  #mining = false;

  constructor(options: MinerOptions) {
    this.#options = options;
  }

  get isMining(): boolean {
    return this.#mining;
  }

  /** Accepts a transaction; returns its hash or throws Anvil's error. */
  async send(raw: string): Promise<string> {
    const { node, pool } = this.#options;
    const hash = await pool.send(node, raw);
    this.#wakeup.signal();
    return hash;
  }

  /** Resolves when every block that a response received so far depends on is on disk; rejects when it is lost. */
  flushed(): Promise<void> {
    return this.#cycle;
  }

  /** Makes blocks until {@link Miner.stop}; rejects when Anvil or the log fails. */
  async run(): Promise<void> {
    const period = this.#options.blockPeriodSeconds * 1000;
    let next = performance.now() + period;
    this.#wakeup.signal();
    while (!this.#stopping) {
      await (period > 0 ? this.#wakeup.sleepUntil(next) : this.#wakeup.signalled());
      if (period === 0) await this.#mineWaiting();
      else if (!this.#stopping) {
        await this.#makeBlock();
        next = Math.max(next + period, performance.now());
      }
    }
    // The last status can be older than the last accepted transaction.
    if (period === 0) await this.#mineWaiting();
  }

  async #mineWaiting(): Promise<void> {
    while ((await this.#options.node.poolStatus()).pending > 0) {
      if (this.#stopping && this.#options.wallClock.isAhead()) return;
      await this.#makeBlock();
    }
  }

  /**
   * Ends {@link Miner.run} after the block in progress and, without a block period, the waiting transactions that Anvil
   * has.
   */
  stop(): void {
    this.#stopping = true;
    this.#wakeup.stop();
  }

  /** Makes a block; none while the clock is ahead, because later blocks could not go back to the right time. */
  async #makeBlock(): Promise<void> {
    const { pool, node, wallClock } = this.#options;
    if (wallClock.isAhead()) return this.#wakeup.sleepUntil(performance.now() + CLOCK_MILLISECONDS);
    const cycle = this.#mineAndLog();
    this.#cycle = cycle.then(() => undefined);
    this.#cycle.catch(() => undefined);
    const { entry, workMs } = await cycle;
    await this.#options.onBlock(entry, workMs);
    if (pool.size === 0) return;
    const { pending, queued } = await node.poolStatus();
    if (pending + queued !== pool.size) await pool.restore(node);
  }

  async #mineAndLog(): Promise<Made> {
    const { node, log, pool, wallClock } = this.#options;
    const last = log.last ?? { number: 0, timestamp: log.genesis.timestamp, hash: null };
    const timestamp = Math.max(Math.floor(wallClock.now() / 1000), last.timestamp);
    const started = performance.now();
    this.#mining = true;
    await node.mine(timestamp);
    this.#mining = false;
    const workMs = performance.now() - started;
    const block = await node.block(last.number + 1);
    if (block.timestamp !== timestamp) throw unexpectedBlock(`time ${block.timestamp} instead of ${timestamp}`);
    if (last.hash !== null && block.parentHash !== last.hash)
      throw unexpectedBlock(`parent ${block.parentHash} instead of ${last.hash}`);
    // A transaction can be in the block before the response to its sender has arrived here.
    const transactions = await Promise.all(
      block.transactions.map((hash) => pool.get(hash) ?? node.rawTransaction(hash)),
    );
    const entry: BlockEntry = { number: block.number, timestamp, hash: block.hash, transactions };
    log.append(entry);
    for (const hash of block.transactions) pool.remove(hash);
    return { entry, workMs: workMs + transactions.length * TRANSACTION_MS };
  }
}

function unexpectedBlock(detail: string): SealbookError {
  return new SealbookError("chain_unavailable", `Anvil mined an unexpected block: ${detail}`);
}
