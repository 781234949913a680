import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

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
