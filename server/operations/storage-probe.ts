import { statfs } from "node:fs/promises";
import type { Database } from "../journal/engine/database.ts";
import type { Clock } from "../kit/clock.ts";

/** Writes the row of the probe; returns when it is on disk. */
export async function probeDatabase(database: Database, clock: Clock): Promise<void> {
  const row = { written_at: clock() };
  await database
    .insertInto("storage_probe")
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

/** Returns the free space on the fullest disk of some folders, in bytes. */
export async function freeBytesOf(directories: readonly string[]): Promise<number> {
  const disks = await Promise.all(directories.map((directory) => statfs(directory)));
  return Math.min(...disks.map(({ bavail, bsize }) => bavail * bsize));
}
