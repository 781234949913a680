import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { chmodSync, closeSync, openSync } from "node:fs";

/** Syncs a directory to disk: entries created, renamed or removed in it survive a power failure. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file atomically: after a crash it has either the whole new content or the old one. */
export async function writeFileDurably(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const temporary = `${path}.tmp`;
  const handle = await open(temporary, "w", 0o600);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** Permissions of files that only the owner reads and writes. */
const OWNER_ONLY = 0o600;

/**
 * Creates a file that only its owner can read, or takes the rights of others away from it. SQLite gives its further
 * files the mode of the database.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // By path: closing a file would release the locks that this process has on it.
    restrict(path);
  }
}

/** Takes the rights of others away from a file, if it exists. */
export function restrict(path: string): void {
  try {
    chmodSync(path, OWNER_ONLY);
  } catch (error) {
    // Another owner decides about its own files.
    if (!["ENOENT", "EPERM"].includes(codeOf(error))) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
