import { setTimeout as sleep } from "node:timers/promises";
import type { BlockEntry } from "./block-entry.ts";
import { EmbeddedChainError, isPassing, reasonOf } from "./errors.ts";
import type { EventSink } from "./events.ts";
import { RpcError } from "./ipc-client.ts";
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

/** The time between two interruptions. */
interface Life {
  readonly session: Session;
  readonly miner: Miner;
  /** Resolves when requests have to go to the next life. */
  readonly over: PromiseWithResolvers<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** Keeps a chain going: sets it up again from the log whenever Anvil ends by itself or a write fails. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #pool = new TransactionPool();
  readonly #snapshots: SnapshotKeeper;
  readonly #stopping = new AbortController();
  #life: Promise<Life>;
  readonly #done: Promise<void>;

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

  /** Takes a signed transaction. */
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
    await this.#life.then(({ miner }) => miner.stop(), () => undefined);
    await this.#done;
  }

  async #ask(request: (life: Life) => Promise<unknown>, { waitForDisk }: { waitForDisk: boolean }): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const life = await this.#life;
      try {
        const answer = await request(life);
        if (waitForDisk) await life.miner.settled();
        return answer;
      } catch (error) {
        if (error instanceof RpcError) {
          // A refusal, too, can tell of the block in progress ("nonce too low").
          await life.miner.settled().catch(() => undefined);
          throw error;
        }
        if (attempt === 2) throw error;
        await life.over.promise;
      }
    }
  }

  #lifeOf(session: Session): Life {
    const { blockPeriodSeconds, onBlock } = this.#options;
    this.#snapshots.begin(session.replayMilliseconds);
    const published = async (entry: BlockEntry, workMs: number): Promise<void> => {
      onBlock(entry.number);
      await this.#snapshots.afterBlock(session, workMs);
    };
    const { node, log, genesis } = session;
    const miner = new Miner({ node, log, pool: this.#pool, blockPeriodSeconds, genesisTimestamp: genesis.timestamp, onBlock: published });
    return { session, miner, over: Promise.withResolvers() };
  }

  async #keepGoing(first: Life): Promise<void> {
    for (let life = first; ; ) {
      const failure = await this.#live(life);
      const next = Promise.withResolvers<Life>();
      next.promise.catch(() => undefined);
      this.#life = next.promise;
      life.over.resolve();
      if (failure !== null && !this.#stopping.signal.aborted) {
        try {
          life = await this.#resume(failure.reason, failure.whileMining);
          next.resolve(life);
          continue;
        } catch (error) {
          next.reject(error);
          return;
        }
      }
      next.reject(new EmbeddedChainError("stopped", "The embedded chain was stopped."));
      return;
    }
  }

  /** Makes blocks until the chain is stopped (null) or something fails; Anvil is ended either way. */
  async #live({ session, miner }: Life): Promise<{ reason: string; whileMining: boolean } | null> {
    const { process } = session.node;
    const died = process.ended.then((reason) => Promise.reject(new EmbeddedChainError("anvil-failed", reason)));
    const cut = Promise.race([process.control.closed, process.queries.closed]).then(async () => {
      await sleep(100); // the end of the process, if that is the cause, says more
      throw new EmbeddedChainError("anvil-failed", "The connection to Anvil is gone.");
    });
    died.catch(() => undefined);
    cut.catch(() => undefined);
    const run = miner.run();
    try {
      await Promise.race([run, died, cut]);
      await this.#snapshots.atStop(session);
      await session.close();
      return null;
    } catch (error) {
      const whileMining = miner.isMining;
      miner.stop();
      await session.node.process.stop();
      await run.catch(() => undefined); // nothing may write to the log any more
      await session.close().catch(() => undefined);
      return { reason: reasonOf(error), whileMining };
    }
  }

  async #resume(reason: string, whileMining: boolean): Promise<Life> {
    const { directory, chainId, emit } = this.#options;
    emit({ kind: "interrupted", reason });
    // When Anvil died of a transaction, handing it over again would kill it again.
    const givenUp = whileMining ? this.#pool.size : 0;
    if (whileMining) this.#pool.clear();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal: this.#stopping.signal });
      try {
        const session = await openSession(directory, chainId, emit);
        const { resent, dropped } = await this.#restore(session);
        emit({ kind: "resumed", resent, dropped: dropped + givenUp });
        const life = this.#lifeOf(session);
        if (this.#stopping.signal.aborted) life.miner.stop();
        return life;
      } catch (error) {
        if (!isPassing(error)) {
          emit({ kind: "broken", reason: reasonOf(error) });
          throw error;
        }
        emit({ kind: "resume-failed", reason: reasonOf(error), retryInMilliseconds: pause * 2 });
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
