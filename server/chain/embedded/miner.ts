import type { AnvilClient } from "./anvil-client.ts";
import { NodeError } from "../rpc/node-error.ts";
import type { Clock } from "../../kit/time.ts";
import type { BlockEntry, BlockLog } from "./block-log.ts";
import { SealbookError } from "../../errors.ts";

/** Wakes one loop for work, at a time, or for its end. */
class WorkSignal {
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

/**
 * The accepted transactions that are in no block yet. Anvil's own pool determines the content of a block, in the order
 * of arrival. This copy survives the end of an Anvil. Anvil also drops transactions that it should keep: when a
 * sender's transaction does not fit into a block, Anvil tries the next ones, finds their nonce too high and drops them.
 */
export class TransactionPool {
  /** By hash, in their order. */
  readonly #waiting = new Map<string, string>();

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Sends a transaction to Anvil and keeps it.
   * @returns its hash
   * @throws NodeError of Anvil
   */
  async send(node: Pick<AnvilClient, "send">, raw: string): Promise<string> {
    const hash = await node.send(raw);
    this.#waiting.set(hash, raw);
    return hash;
  }

  get(hash: string): string | undefined {
    return this.#waiting.get(hash);
  }

  remove(hash: string): void {
    this.#waiting.delete(hash);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Sends transactions that Anvil has dropped again, in their order; drops those that it now refuses. */
  async restore(node: Pick<AnvilClient, "send" | "poolHashes">): Promise<{ resent: number; dropped: number }> {
    const accepted = [...this.#waiting];
    const present = await node.poolHashes();
    let resent = 0;
    let dropped = 0;
    for (const [hash, raw] of accepted) {
      if (present.has(hash)) continue;
      try {
        await node.send(raw);
        resent += 1;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        this.remove(hash);
        dropped += 1;
      }
    }
    return { resent, dropped };
  }
}

/** Options of a miner. */
interface MinerOptions {
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
