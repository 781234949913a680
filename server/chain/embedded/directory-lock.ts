import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedChainError, reasonOf } from "./errors.ts";

/** Holds a chain folder for one process. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes a chain folder for this process. The lock is SQLite's exclusive file lock, which the operating system
 * gives back when the process ends in whatever way, so a killed process never blocks the next one.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, "lock.pid");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(directory, "lock.sqlite"), { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (!/locked|busy/i.test(reasonOf(error))) {
      throw new EmbeddedChainError("directory-unusable", `The chain folder ${directory} cannot be locked: ${reasonOf(error)}`, { cause: error });
    }
    throw new EmbeddedChainError("chain-in-use", `The chain in ${directory} is in use by ${holderOf(pidFile)}.`);
  }
  const held = database;
  // Only for the message above; the lock itself is what counts.
  writeFileSync(pidFile, String(process.pid));
  return { release: () => held.close() };
}

function holderOf(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, "utf8").trim()}`;
  } catch {
    return "another process";
  }
}
