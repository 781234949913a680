import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError } from "../errors.ts";
import { makePrivate } from "./durable-file.ts";

const WAIT_MILLISECONDS = 100;

/** A lock on a folder. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Locks a folder for one use by this process. The lock is SQLite's exclusive file lock, which the operating system
 * releases when the process ends in any way, so a killed process never blocks the next one.
 * @param use Locks of different uses are independent
 * @throws SealbookError `conflict` naming the process that has the lock; otherwise the error of the file system
 */
export function lockDirectory(directory: string, use = "lock"): DirectoryLock {
  const pidFile = join(directory, `${use}.pid`);
  let database: DatabaseSync | undefined;
  try {
    const file = join(directory, `${use}.sqlite`);
    for (const path of [file, pidFile]) makePrivate(path);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (!(error instanceof Error && /locked|busy/i.test(error.message))) throw error;
    throw new SealbookError("conflict", `${directory} is in use by ${holderOf(pidFile)}`, { cause: error });
  }
  const opened = database;
  // Only for the error message.
  writeFileSync(pidFile, String(process.pid));
  return { release: () => opened.close() };
}

/** Creates the folder, and locks it as soon as no other process has the lock. */
export async function waitForDirectory(directory: string, use: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  for (;;) {
    try {
      return lockDirectory(directory, use);
    } catch (error) {
      if (!(error instanceof SealbookError && error.code === "conflict")) throw error;
      await sleep(WAIT_MILLISECONDS);
    }
  }
}

function holderOf(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, "utf8").trim()}`;
  } catch {
    return "another process";
  }
}
