import { setTimeout as sleep } from "node:timers/promises";
import type { BlockEntry } from "./block-entry.ts";
import { EmbeddedChainError, isPassing, reasonOf } from "./errors.ts";
import type { EventSink } from "./events.ts";
import { RpcError } from "./ipc-client.ts";
import { live, type Failure, type Life } from "./life.ts";
import { Miner } from "./miner.ts";
import { openSession, type Session } from "./session.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import { TransactionPool } from "./transaction-pool.ts";

/** What the engine needs to know. */
export interface EngineOptions {
  readonly directory: string;
  readonly chainId: number;
  readonly blockPeriodSeconds: number;
  readonly emit: EventSink;
  readonly onBlock: (blockNumber: number) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** How long a request waits for a chain that is being set up again. */
const PATIENCE_MS = 15_000;

/** Keeps a chain going: sets it up again from the log whenever Anvil ends by itself or a write fails. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #pool = new TransactionPool();
  readonly #snapshots: SnapshotKeeper;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #life: Promise<Life>;
  /** Before the next attempt; grows until a block succeeds, so that a full disk does not mean one replay after the other. */
  #pauseMs = FIRST_PAUSE_MS;
  #trouble = "";

  private constructor(options: EngineOptions, session: Session) {
    this.#options = options;
    this.#snapshots = new SnapshotKeeper(options.directory, options.emit);
    const first = this.#lifeOf(session);
    this.#life = Promise.resolve(first);
    this.#done = this.#keepGoing(first);
  }

  /** Brings the chain of a locked folder to its last block and starts making blocks. */
  static async start(options: EngineOptions): Promise<Engine> {
    return new Engine(options, await openSession(options.directory, options.chainId, options.emit));
  }

  /** Takes a signed transaction; answers its hash when it waits for a block. */
  send(raw: string): Promise<unknown> {
    return this.#ask(({ miner }) => miner.send(raw), { waitForDisk: false });
  }

  /** Passes a reading request on; the answer tells of no block that is not on the disk. */
  query(method: string, params: readonly unknown[] | object): Promise<unknown> {
    return this.#ask(({ session }) => session.node.process.queries.call(method, params), { waitForDisk: true });
  }

  /** Finishes the block in progress and ends Anvil. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#life.then(
      ({ miner }) => miner.stop(),
      () => undefined,
    );
    await this.#done;
  }

  async #ask(request: (life: Life) => Promise<unknown>, { waitForDisk }: { waitForDisk: boolean }): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const life = await this.#patiently(this.#life);
      try {
        const answer = await request(life).catch((error: unknown) =>
          error instanceof RpcError ? error : Promise.reject(error),
        );
        // A refusal, too, can tell of the block in progress ("nonce too low").
        if (waitForDisk || answer instanceof RpcError) await life.miner.settled();
        if (answer instanceof RpcError) throw answer;
        return answer;
      } catch (error) {
        if (error instanceof RpcError || attempt === 2) throw error;
        await this.#patiently(life.over.promise);
      }
    }
  }

  async #patiently<T>(promise: Promise<T>): Promise<T> {
    const timer = Promise.withResolvers<never>();
    const handle = setTimeout(() => {
      timer.reject(new EmbeddedChainError("anvil-failed", `It is being set up again. ${this.#trouble}`.trim()));
    }, PATIENCE_MS);
    return Promise.race([promise, timer.promise]).finally(() => clearTimeout(handle));
  }

  #lifeOf(session: Session): Life {
    const { blockPeriodSeconds, onBlock } = this.#options;
    this.#snapshots.begin(session.replayMilliseconds);
    const published = async (entry: BlockEntry, workMs: number): Promise<void> => {
      this.#pauseMs = FIRST_PAUSE_MS;
      onBlock(entry.number);
      await this.#snapshots.afterBlock(session, workMs);
    };
    const { node, log, genesis } = session;
    const miner = new Miner({
      node,
      log,
      pool: this.#pool,
      blockPeriodSeconds,
      genesisTimestamp: genesis.timestamp,
      onBlock: published,
    });
    return { session, miner, over: Promise.withResolvers() };
  }

  async #keepGoing(first: Life): Promise<void> {
    for (let life = first; ;) {
      const { session, over } = life;
      const failure = await live(life, () => this.#snapshots.atStop(session));
      const next = Promise.withResolvers<Life>();
      next.promise.catch(() => undefined);
      this.#life = next.promise;
      over.resolve();
      try {
        life = await this.#resume(failure);
        next.resolve(life);
      } catch (error) {
        next.reject(error);
        return;
      }
    }
  }

  async #resume(failure: Failure | null): Promise<Life> {
    if (failure === null || this.#stopping.signal.aborted) throw stopped();
    const { directory, chainId, emit } = this.#options;
    this.#trouble = failure.reason;
    emit({ kind: "interrupted", reason: failure.reason });
    // When Anvil died of a transaction, handing it over again would kill it again.
    const givenUp = failure.whileMining ? this.#pool.size : 0;
    if (failure.whileMining) this.#pool.clear();
    for (;;) {
      await sleep(this.#pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => Promise.reject(stopped()));
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      try {
        const session = await openSession(directory, chainId, emit);
        const { resent, dropped } = await this.#restore(session);
        emit({ kind: "resumed", resent, dropped: dropped + givenUp });
        return this.#lifeOf(session);
      } catch (error) {
        this.#trouble = reasonOf(error);
        if (!isPassing(error)) {
          emit({ kind: "broken", reason: this.#trouble });
          throw error;
        }
        emit({ kind: "resume-failed", reason: this.#trouble, retryInMilliseconds: this.#pauseMs });
      }
    }
  }

  async #restore(session: Session): Promise<{ resent: number; dropped: number }> {
    try {
      return await this.#pool.restore(session.node);
    } catch (error) {
      await session.close();
      throw error;
    }
  }
}

function stopped(): EmbeddedChainError {
  return new EmbeddedChainError("stopped", "The embedded chain was stopped.");
}
