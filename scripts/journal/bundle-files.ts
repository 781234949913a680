import { opendir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

const NAME = /\.bundle(\.\d+)?\.json$/;
/** A bundle has some ten kilobytes; a longer file is none. */
const MAX_BYTES = 1024 * 1024;

/**
 * Yields the named files and, recursively, the bundles in the named folders, one at a time. Does not follow symbolic
 * links in folders.
 */
export async function* bundleFiles(names: readonly string[]): AsyncGenerator<string> {
  for (const name of names) {
    if ((await stat(name)).isDirectory()) yield* inFolder(name);
    else yield name;
  }
}

async function* inFolder(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* inFolder(path);
    else if (entry.isFile() && NAME.test(entry.name)) yield path;
  }
}

/** Reads a bundle. @throws when the file cannot be read or is too long */
export async function readBundle(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`is longer than ${MAX_BYTES} bytes`);
  return readFile(file, "utf8");
}
