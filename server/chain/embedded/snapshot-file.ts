import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { SealbookError } from "../../errors.ts";

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
