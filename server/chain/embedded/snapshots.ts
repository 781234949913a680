import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import type { AnvilClient } from "./anvil-client.ts";
import type { BlockLog } from "./block-log.ts";
import type { EventSink } from "./embedded-log.ts";

const NAME = /^snapshot-(\d+)-(0x[0-9a-f]{64})-([0-9a-f]{64})\.json\.gz$/;

/**
 * A loaded snapshot returns the same results as before except for BLOCKHASH: Anvil does not keep the hashes of the last
 * 256 blocks in it. So a snapshot is only used when at least this many blocks are mined again after it.
 */
export const BLOCKS_AFTER_SNAPSHOT = 256;

/** A dump of the whole chain after one block. */
export interface Snapshot {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly path: string;
  readonly sha256: string;
}

/** The snapshots of a chain folder, the newest first. */
export async function listSnapshots(directory: string): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (const name of await readdir(directory)) {
    const [, number, blockHash, sha256] = NAME.exec(name) ?? [];
    if (number !== undefined && blockHash !== undefined && sha256 !== undefined) {
      snapshots.push({ blockNumber: Number(number), blockHash, sha256, path: join(directory, name) });
    }
  }
  return snapshots.sort((a, b) => b.blockNumber - a.blockNumber);
}

/** Writes a snapshot durably and removes snapshots that no start can need. */
export async function saveSnapshot(
  directory: string,
  blockNumber: number,
  blockHash: string,
  state: Buffer,
): Promise<Snapshot> {
  const sha256 = createHash("sha256").update(state).digest("hex");
  const path = join(directory, `snapshot-${blockNumber}-${blockHash}-${sha256}.json.gz`);
  await writeFileDurably(path, [state]);
  const old = (await listSnapshots(directory)).filter(
    (other) => other.blockNumber <= blockNumber - BLOCKS_AFTER_SNAPSHOT,
  );
  for (const { path: unused } of old.slice(1)) await rm(unused, { force: true });
  return { blockNumber, blockHash, path, sha256 };
}

/** Removes the unfinished snapshots of a crash. */
export async function removeUnfinishedSnapshots(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith("snapshot-") && name.endsWith(".tmp")) await rm(join(directory, name), { force: true });
  }
}

/** Unpacks a snapshot into a file for Anvil after checking its integrity. */
export async function unpackSnapshot(snapshot: Snapshot, target: string): Promise<void> {
  const sha256 = createHash("sha256")
    .update(await readFile(snapshot.path))
    .digest("hex");
  if (sha256 !== snapshot.sha256) throw new SealbookError("block_log_differs", `${snapshot.path} is damaged.`);
  await pipeline(createReadStream(snapshot.path), createGunzip(), createWriteStream(target, { mode: 0o600 }));
}

/** The minimum replay time that a snapshot must save, for which the next block waits, or a clean stop. */
const WORTH_MILLISECONDS = 5_000;
/** The same as a multiple of the last snapshot's own duration. */
const WORTH_TIMES = 10;

/** The source of a snapshot. */
interface SnapshotSource {
  readonly node: AnvilClient;
  readonly log: BlockLog;
}

/** Creates snapshots when they are due. */
export class SnapshotSchedule {
  readonly #directory: string;
  readonly #emit: EventSink;
  /** Estimated replay time of the blocks since the last snapshot. */
  #replayMs = 0;
  /** Duration of the last snapshot. */
  #snapshotMs = 0;

  constructor(directory: string, emit: EventSink) {
    this.#directory = directory;
    this.#emit = emit;
  }

  /** Begins with a started chain and the duration of its replay. */
  begin(replayMs: number): void {
    this.#replayMs = replayMs;
  }

  /** Counts a block and creates a snapshot when one is due; the next block waits for it. */
  afterBlock(source: SnapshotSource, workMs: number): Promise<void> {
    this.#replayMs += workMs;
    return this.takeWhenDue(source);
  }

  /** Creates a snapshot when it shortens the next start by enough. */
  async takeWhenDue({ node, log }: SnapshotSource): Promise<void> {
    const entry = log.last;
    if (entry === null || this.#replayMs < Math.max(WORTH_MILLISECONDS, WORTH_TIMES * this.#snapshotMs)) return;
    this.#replayMs = 0;
    const started = performance.now();
    try {
      const state = await node.dumpState();
      await saveSnapshot(this.#directory, entry.number, entry.hash, state);
      this.#snapshotMs = performance.now() - started;
      this.#emit({
        kind: "snapshot-written",
        blockNumber: entry.number,
        bytes: state.length,
        milliseconds: this.#snapshotMs,
      });
    } catch (error) {
      // The log is sufficient; only the next start is slower.
      this.#emit({ kind: "snapshot-failed", blockNumber: entry.number, reason: reasonOf(error) });
    }
  }
}
