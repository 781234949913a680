import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError, reasonOf } from "../../errors.ts";
import { Miner, type WallClock, TransactionPool } from "./miner.ts";
import { type AnvilInstance, openAnvilInstance } from "./anvil-instance.ts";
import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import { within } from "../../kit/time.ts";
import type { BlockEntry } from "./block-log.ts";
import type { EventSink } from "./embedded-log.ts";
import { NodeError } from "../rpc/node-error.ts";
import { SnapshotSchedule } from "./snapshots.ts";

/** A running chain, from its start to its stop or its first failure. */
interface ChainRun {
  readonly instance: AnvilInstance;
  readonly miner: Miner;
  /** Resolves when requests belong to the next run. */
  readonly over: PromiseWithResolvers<void>;
}

/** Reason why a run ended unexpectedly. */
interface RunFailure {
  readonly reason: string;
  /** Whether Anvil was mining: a waiting transaction may then have crashed it. */
  readonly whileMining: boolean;
}

/**
 * Makes blocks until the chain is stopped or fails, then ends Anvil and closes the log.
 * @param beforeStop Called at a stop, while Anvil and the log are still open
 * @returns `null` after a stop
 */
async function runChain({ instance, miner }: ChainRun, beforeStop: () => Promise<void>): Promise<RunFailure | null> {
  const { process } = instance.node;
  const died = process.ended.then((reason) => Promise.reject(new SealbookError("chain_unavailable", reason)));
  const cut = process.disconnected.then(async () => {
    await sleep(100); // The exit of the process, if that is the cause, says more.
    throw new SealbookError("chain_unavailable", "The connection to Anvil was lost.");
  });
  died.catch(() => undefined);
  cut.catch(() => undefined);
  const run = miner.run();
  try {
    await Promise.race([run, died, cut]);
    await beforeStop();
    await instance.close();
    return null;
  } catch (error) {
    const whileMining = miner.isMining;
    miner.stop();
    await process.stop();
    await run.catch(() => undefined); // Nothing may write to the log any more.
    await instance.close().catch(() => undefined);
    return { reason: reasonOf(error), whileMining };
  }
}

/** Options for running a chain. */
interface ChainSupervisorOptions {
  readonly directory: string;
  readonly chainId: number;
  readonly blockPeriodSeconds: number;
  readonly wallClock: WallClock;
  readonly emit: EventSink;
  readonly onBlock: (blockNumber: number) => void;
}

/** Backoff of restarts. A block resets it, so that a full disk does not cause continuous replays. */
const RESTART_RULE: BackoffRule = { firstMilliseconds: 100, longestMilliseconds: 30_000 };
/** Maximum wait of a request for a restarting chain. */
const REQUEST_WAIT_MILLISECONDS = 15_000;

/** Methods with a fixed result: gas is free, whatever Anvil suggests. */
const FREE: ReadonlySet<string> = new Set(["eth_gasPrice", "eth_maxPriorityFeePerGas"]);

/** Runs a chain: restarts it from the block log when Anvil ends unexpectedly or a write fails. */
export class ChainSupervisor {
  readonly #options: ChainSupervisorOptions;
  readonly #pool = new TransactionPool();
  readonly #snapshots: SnapshotSchedule;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #run: Promise<ChainRun>;
  readonly #backoff = new Backoff(RESTART_RULE);
  #lastFailure = "";

  private constructor(options: ChainSupervisorOptions, instance: AnvilInstance) {
    this.#options = options;
    this.#snapshots = new SnapshotSchedule(options.directory, options.emit);
    const first = this.#runOf(instance);
    this.#run = Promise.resolve(first);
    this.#done = this.#supervise(first);
  }

  /** Restores the chain of a locked folder up to its last block and starts to make blocks. */
  static async start(options: ChainSupervisorOptions): Promise<ChainSupervisor> {
    return new ChainSupervisor(options, await openAnvilInstance(options.directory, options.chainId, options.emit));
  }

  /**
   * Makes one JSON-RPC call. A transaction whose hash is returned waits for a block. The response to a query depends
   * on no block that is not on disk.
   * @throws NodeError of Anvil; SealbookError `chain_unavailable`
   */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === "eth_sendRawTransaction")
      return this.#request(({ miner }) => miner.send(String(params[0])), { waitForDisk: false });
    if (FREE.has(method)) return "0x0";
    return this.#request(({ instance }) => instance.node.process.queries.call(method, params), { waitForDisk: true });
  }

  /** Returns the hash of a block in the log. */
  async recordedHash(blockNumber: number): Promise<string | undefined> {
    const { instance } = await this.#untilDeadline(this.#run);
    return instance.log.hashOf(blockNumber);
  }

  /** Finishes the block in progress and ends Anvil. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run.then(
      ({ miner }) => miner.stop(),
      () => undefined,
    );
    await this.#done;
  }

  async #request(
    request: (run: ChainRun) => Promise<unknown>,
    { waitForDisk }: { waitForDisk: boolean },
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const run = await this.#untilDeadline(this.#run);
      try {
        const response = await request(run).catch((error: unknown) =>
          error instanceof NodeError ? error : Promise.reject(error),
        );
        // An error, too, can depend on the block in progress ("nonce too low").
        if (waitForDisk || response instanceof NodeError) await run.miner.flushed();
        if (response instanceof NodeError) throw response;
        return response;
      } catch (error) {
        if (error instanceof NodeError || attempt === 2) throw error;
        await this.#untilDeadline(run.over.promise);
      }
    }
  }

  #untilDeadline<T>(promise: Promise<T>): Promise<T> {
    return within(
      REQUEST_WAIT_MILLISECONDS,
      promise,
      () => new SealbookError("chain_unavailable", `The chain restarts. ${this.#lastFailure}`.trim()),
    );
  }

  #runOf(instance: AnvilInstance): ChainRun {
    const { blockPeriodSeconds, wallClock, onBlock } = this.#options;
    this.#snapshots.begin(instance.replayMilliseconds);
    const published = async (entry: BlockEntry, workMs: number): Promise<void> => {
      this.#backoff.reset();
      onBlock(entry.number);
      await this.#snapshots.afterBlock(instance, workMs);
    };
    const { node, log } = instance;
    const miner = new Miner({
      node,
      log,
      pool: this.#pool,
      blockPeriodSeconds,
      wallClock,
      onBlock: published,
    });
    return { instance, miner, over: Promise.withResolvers() };
  }

  async #supervise(first: ChainRun): Promise<void> {
    for (let run = first; ;) {
      const { instance, over } = run;
      const failure = await runChain(run, () => this.#snapshots.takeWhenDue(instance));
      const next = Promise.withResolvers<ChainRun>();
      next.promise.catch(() => undefined);
      this.#run = next.promise;
      over.resolve();
      try {
        run = await this.#resume(failure);
        next.resolve(run);
      } catch (error) {
        next.reject(error);
        return;
      }
    }
  }

  async #resume(failure: RunFailure | null): Promise<ChainRun> {
    if (failure === null || this.#stopping.signal.aborted) throw stopped();
    const { directory, chainId, emit } = this.#options;
    this.#lastFailure = failure.reason;
    emit({ kind: "interrupted", reason: failure.reason });
    // A waiting transaction may have crashed Anvil: sent again, it would crash it again.
    const givenUp = failure.whileMining ? this.#pool.size : 0;
    if (failure.whileMining) this.#pool.clear();
    for (let pause = this.#backoff.next(); ;) {
      await sleep(pause, undefined, { signal: this.#stopping.signal }).catch(() => Promise.reject(stopped()));
      try {
        // A folder that was deleted meanwhile must not get a new chain.
        const instance = await openAnvilInstance(directory, chainId, emit, { create: false });
        const { resent, dropped } = await this.#restore(instance);
        emit({ kind: "resumed", resent, dropped: dropped + givenUp });
        return this.#runOf(instance);
      } catch (error) {
        this.#lastFailure = reasonOf(error);
        if (!isTransient(error)) {
          emit({ kind: "broken", reason: this.#lastFailure });
          throw error;
        }
        pause = this.#backoff.next();
        emit({ kind: "resume-failed", reason: this.#lastFailure, retryInMilliseconds: pause });
      }
    }
  }

  async #restore(instance: AnvilInstance): Promise<{ resent: number; dropped: number }> {
    try {
      return await this.#pool.restore(instance.node);
    } catch (error) {
      await instance.close();
      throw error;
    }
  }
}

function stopped(): SealbookError {
  return new SealbookError("chain_unavailable", "The embedded chain was stopped.");
}

/**
 * Whether a later attempt can succeed: Anvil may start again and a full disk may be emptied, but a damaged log stays
 * damaged.
 */
function isTransient(error: unknown): boolean {
  if (!(error instanceof SealbookError)) return true;
  return error.code === "chain_unavailable" || error.code === "directory_unusable";
}
