import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Numbers the temporary files of this process. */
let written = 0;

/** Writes a text and a newline, see {@link writePieces}. */
export function writeText(path: string, content: string): Promise<void> {
  return writePieces(path, [`${content}\n`]);
}

/**
 * Writes text of any length atomically: a reader sees the old or the new content, never a part.
 */
export async function writePieces(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Not longer than the name of the file, which can be as long as the file system allows.
  const temporary = join(dirname(path), `.sealbook-${process.pid}-${(written += 1)}.tmp`);
  try {
    await writeFile(temporary, pieces);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
