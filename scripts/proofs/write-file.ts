import { constants } from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { bundlePath, olderBundlePath, olderProofPath } from "./proof-file.ts";

/** Writes JSON, see {@link writePieces}. */
export function writeJson(path: string, content: unknown): Promise<void> {
  return writePieces(path, [`${JSON.stringify(content, null, 2)}\n`]);
}

/** Writes a text and a newline, see {@link writePieces}. */
export function writeText(path: string, content: string): Promise<void> {
  return writePieces(path, [`${content}\n`]);
}

/**
 * Writes text of any length atomically: a reader sees the old or the new content, never a part.
 */
export async function writePieces(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, pieces);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Keeps the existing proof and its bundle under the first free number. */
export async function keepOlderProof(path: string): Promise<void> {
  for (let number = 1; ; number += 1) {
    try {
      await copyFile(path, olderProofPath(path, number), constants.COPYFILE_EXCL);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
      continue;
    }
    // Moves the bundle, so that the new proof is never next to an old bundle.
    return rename(bundlePath(path), olderBundlePath(path, number)).catch((error: unknown) => {
      if (!isCode(error, "ENOENT")) throw error;
    });
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
