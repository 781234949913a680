import { chmodSync, closeSync, openSync } from "node:fs";

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
