import { mkdir, realpath } from "node:fs/promises";
import { type DirectoryLock, lockDirectory } from "../../kit/directory-lock.ts";
import { ChainSupervisor } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { type Clock, ClockStep, within } from "../../kit/time.ts";
import type { EmbeddedChainEvent, EventSink } from "./embedded-log.ts";
import type { WallClock } from "./miner.ts";
import { PortCalls } from "./port-calls.ts";
import { openRpcPort, type RpcPort } from "./rpc-port.ts";
import { closed, nodeErrorOf, type Rpc, TIMEOUT_MILLISECONDS, timedOut, unavailable } from "../rpc/rpc.ts";

export type { EmbeddedChainEvent } from "./embedded-log.ts";

/** Options for running an embedded chain. */
export interface EmbeddedChainOptions {
  /** The chain's folder; created when missing. */
  directory: string;
  /** The JSON-RPC port on 127.0.0.1; 0 selects any free one. */
  port: number;
  /** 0: a block as soon as a transaction waits; n: a block every n seconds, also empty ones. */
  blockPeriodSeconds: number;
  /** Fixed for the life of the folder. */
  chainId: number;
  /** The clock of block times; the machine's when unset. */
  clock?: Clock;
  /** Maximum of milliseconds that the clock may be set forward; beyond it no blocks are made. Unlimited when unset. */
  clockLimitMilliseconds?: number;
  /** Whether the port takes transactions of everybody, for development; of nobody but the owner when unset. */
  portSends?: boolean;
  /** Receives events, for the log. */
  onEvent?: (event: EmbeddedChainEvent) => void;
}

/** A running embedded chain. */
export interface EmbeddedChain {
  /** http://127.0.0.1:PORT */
  readonly url: string;
  /** The address with the password of this run: only with it the port takes transactions, unless it takes all. */
  readonly ownerUrl: string;
  readonly chainId: number;
  /**
   * Makes a JSON-RPC call in this process.
   * @throws NodeError of Anvil; SealbookError `chain_unavailable`
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Returns the hash of a block in the block log; `undefined` for the genesis block and blocks that do not exist. */
  recordedHash(blockNumber: number): Promise<string | undefined>;
  /** Calls the listener, which must not throw, after each block, when it is on the disk; returns the unsubscription. */
  onBlock(listener: (blockNumber: number) => void): () => void;
  /**
   * Finishes the block in progress (without a block period: mines all waiting transactions), takes a snapshot if
   * worthwhile, ends Anvil and frees the port.
   */
  stop(): Promise<void>;
}

/**
 * Starts the chain of a folder: an Anvil behind our own JSON-RPC port, with every block in a log on disk. After a crash
 * at any moment all visible blocks are restored with the same hash, number and time. A transaction that is in no block
 * yet can be lost then; its sender must send it again.
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const emit = options.onEvent ?? ((): void => undefined);
  const directory = await prepareDirectory(options.directory);
  const lock = lockChain(directory);
  const listeners = new Set<(blockNumber: number) => void>();
  const onBlock = (blockNumber: number): void => {
    for (const listener of listeners) listener(blockNumber);
  };
  const { chainId, blockPeriodSeconds } = options;
  const wallClock = wallClockOf(options, emit);
  let engine: ChainSupervisor | undefined;
  let port: RpcPort | undefined;
  try {
    engine = await ChainSupervisor.start({ directory, chainId, blockPeriodSeconds, wallClock, emit, onBlock });
    port = await openRpcPort(options.port, new PortCalls(engine, chainId), options.portSends ?? false);
  } catch (error) {
    await engine?.stop();
    lock.release();
    throw error;
  }
  const running = { engine, port };
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await running.port.close();
    await running.engine.stop();
    lock.release();
  };
  return {
    url: running.port.url,
    ownerUrl: running.port.ownerUrl,
    chainId,
    async request(method, params) {
      if (stopped !== undefined) throw new SealbookError("chain_unavailable", "The embedded chain was stopped.");
      return running.engine.request(method, params);
    },
    recordedHash: (blockNumber) => running.engine.recordedHash(blockNumber),
    onBlock: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => (stopped ??= stop()),
  };
}

function wallClockOf(
  { clock = Date.now, clockLimitMilliseconds = Infinity }: EmbeddedChainOptions,
  emit: EventSink,
): WallClock {
  const step = new ClockStep(clock);
  let wasAhead = false;
  return {
    now: clock,
    isAhead() {
      const milliseconds = step.milliseconds();
      const isAhead = milliseconds > clockLimitMilliseconds;
      if (isAhead !== wasAhead) emit({ kind: isAhead ? "clock-ahead" : "clock-back", seconds: milliseconds / 1000 });
      wasAhead = isAhead;
      return isAhead;
    },
  };
}

function lockChain(directory: string): DirectoryLock {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof SealbookError) {
      throw new SealbookError("chain_in_use", `The chain in ${error.message}.`, { cause: error });
    }
    throw new SealbookError(
      "directory_unusable",
      `The chain folder ${directory} cannot be locked: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

async function prepareDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await realpath(directory);
  } catch (error) {
    throw new SealbookError("directory_unusable", `The chain folder ${directory} cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** A node in this process. */
interface InProcessNode {
  readonly chainId: number;
  /** Makes one JSON-RPC call; rejects with `code`, `message` and `data` when the node returns an error. */
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Returns the hash of a block in the record of this process, when there is one. */
  recordedHash?(blockNumber: number): Promise<string | undefined>;
}

/** Connects to a node in this process. */
export function connectInProcess(node: InProcessNode): Rpc {
  /** Ends the wait of each call in flight. */
  const inFlight = new Set<(reason: Error) => void>();
  let isClosed = false;
  return {
    chainId: node.chainId,
    recordedHash: async (blockNumber) => node.recordedHash?.(blockNumber),
    async call(method, parameters) {
      if (isClosed) throw unavailable(closed());
      const { promise: aborted, reject: abort } = Promise.withResolvers<never>();
      inFlight.add(abort);
      try {
        const result = Promise.race([node.request(method, parameters), aborted]);
        return await within(TIMEOUT_MILLISECONDS, result, () => timedOut(TIMEOUT_MILLISECONDS));
      } catch (error) {
        throw nodeErrorOf(error) ?? unavailable(error);
      } finally {
        inFlight.delete(abort);
      }
    },
    close() {
      isClosed = true;
      for (const abort of inFlight) abort(closed());
    },
  };
}
