import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AnvilClient } from "./anvil-client.ts";
import { startAnvil } from "./anvil-process.ts";
import { BlockLog, type BlockEntry } from "./block-log.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { syncDirectory } from "../../kit/durable-file.ts";
import type { EventSink } from "./embedded-log.ts";
import {
  BLOCKS_AFTER_SNAPSHOT,
  listSnapshots,
  removeUnfinishedSnapshots,
  unpackSnapshot,
  type Snapshot,
} from "./snapshots.ts";
import { NodeError } from "../rpc/node-error.ts";

/** A running Anvil with exactly the chain of the block log. */
export interface AnvilInstance {
  readonly node: AnvilClient;
  readonly log: BlockLog;
  /** Duration of the replay of the blocks after the snapshot. */
  readonly replayMilliseconds: number;
  /** Ends Anvil and closes the log. */
  close(): Promise<void>;
}

/**
 * Opens the log of a locked folder and replays it in a new Anvil up to its last block.
 * @param options.create Whether an empty folder gets a new chain
 * @throws SealbookError as {@link BlockLog.open}; `block_log_differs` when the blocks cannot be mined again
 */
export async function openAnvilInstance(
  directory: string,
  chainId: number,
  emit: EventSink,
  options: { readonly create?: boolean } = {},
): Promise<AnvilInstance> {
  const started = performance.now();
  const log = BlockLog.open(directory, chainId, options);
  try {
    await syncDirectory(directory);
    const { node, replayed, replayMilliseconds } = await rebuild(directory, log, emit);
    const blockNumber = log.last?.number ?? 0;
    emit({ kind: "ready", blockNumber, replayed, milliseconds: Math.round(performance.now() - started) });
    const close = async (): Promise<void> => {
      await node.process.stop();
      await removeRunFolder(directory);
      log.close();
    };
    return { node, log, replayMilliseconds, close };
  } catch (error) {
    log.close();
    throw error;
  }
}

interface Rebuilt {
  readonly node: AnvilClient;
  readonly replayed: number;
  readonly replayMilliseconds: number;
}

/** Tries the newest usable snapshot, then older ones, then the whole log. */
async function rebuild(directory: string, log: BlockLog, emit: EventSink): Promise<Rebuilt> {
  await removeUnfinishedSnapshots(directory);
  const newestUsable = (log.last?.number ?? 0) - BLOCKS_AFTER_SNAPSHOT;
  for (const snapshot of await listSnapshots(directory)) {
    if (snapshot.blockNumber > newestUsable) continue;
    try {
      return await rebuildFrom(snapshot, directory, log, emit);
    } catch (error) {
      // Only the snapshot is invalid here; without one the same difference is an error.
      emit({ kind: "snapshot-unusable", blockNumber: snapshot.blockNumber, reason: reasonOf(error) });
      if (error instanceof SealbookError && error.code === "block_log_differs")
        await rm(snapshot.path, { force: true });
    }
  }
  return rebuildFrom(null, directory, log, emit);
}

async function rebuildFrom(
  snapshot: Snapshot | null,
  directory: string,
  log: BlockLog,
  emit: EventSink,
): Promise<Rebuilt> {
  const runDirectory = join(directory, "run");
  await removeRunFolder(directory);
  await mkdir(runDirectory, { recursive: true, mode: 0o700 });
  const stateFile = snapshot === null ? null : join(runDirectory, "state.json");
  if (snapshot !== null && stateFile !== null) await unpackSnapshot(snapshot, stateFile);
  const node = new AnvilClient(await startAnvil(runDirectory, log.genesis, stateFile));
  try {
    if (stateFile !== null) await rm(stateFile, { force: true });
    if (snapshot !== null && (await node.block(snapshot.blockNumber)).hash !== snapshot.blockHash) {
      throw new SealbookError("block_log_differs", `${snapshot.path} does not hold block ${snapshot.blockNumber}.`);
    }
    const progress = (done: number, total: number): void => emit({ kind: "replay-progress", done, total });
    const started = performance.now();
    const replayed = await replay(node, log, (snapshot?.blockNumber ?? 0) + 1, progress);
    return { node, replayed, replayMilliseconds: performance.now() - started };
  } catch (error) {
    await node.process.stop();
    throw error;
  }
}

/** Removes the folder of an Anvil that ended: its socket, temporary files and cache. */
async function removeRunFolder(directory: string): Promise<void> {
  await rm(join(directory, "run"), { recursive: true, force: true });
}

/** A hash covers all earlier blocks, so not every block is checked. */
const CHECK_EVERY = 256;
const PROGRESS_EVERY_MS = 1_000;

/** Mines the logged blocks from a number on again and compares the hashes. Returns the number of blocks. */
async function replay(
  node: AnvilClient,
  log: BlockLog,
  from: number,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const total = (log.last?.number ?? 0) - from + 1;
  let done = 0;
  let reported = performance.now();
  for (const entry of log.entries(from)) {
    await mineAgain(node, entry);
    done += 1;
    if (done % CHECK_EVERY === 0 || done === total) await compare(node, log, entry, from);
    if (performance.now() - reported >= PROGRESS_EVERY_MS) {
      reported = performance.now();
      onProgress(done, total);
    }
  }
  return done;
}

async function mineAgain(node: AnvilClient, entry: BlockEntry): Promise<void> {
  try {
    // In sequence: their order in the pool is their order in the block.
    for (const raw of entry.transactions) await node.send(raw);
    await node.mine(entry.timestamp);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new SealbookError(
      "block_log_differs",
      `Anvil refuses what block ${entry.number} of the log holds: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

async function compare(node: AnvilClient, log: BlockLog, entry: BlockEntry, from: number): Promise<void> {
  if ((await node.block(entry.number)).hash === entry.hash) return;
  for (const logged of log.entries(from)) {
    const { hash } = await node.block(logged.number);
    if (hash === logged.hash) continue;
    throw new SealbookError(
      "block_log_differs",
      `Block ${logged.number} has the hash ${logged.hash} in the log, but mining it again gives ${hash}. ` +
        "The log was changed, or this version of Anvil does not run the chain as the one that made it.",
    );
  }
}
