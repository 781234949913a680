import { createReadStream, type Dirent, type Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { createHash } from "node:crypto";
import { CommandFailure } from "../commands/run-command.ts";
import { reasonOf } from "./reason.ts";

/** A file to prove or verify. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** The POSIX path relative to the working directory, or the absolute path outside of it. */
  readonly id: string;
}

/** An unreadable file or folder. */
export interface Unreadable {
  readonly id: string;
  readonly reason: string;
}

/** Found files, sorted by id, without duplicates. */
export interface Found {
  readonly files: FoundFile[];
  readonly unreadable: Unreadable[];
}

/** Returns the id of a path: relative to `base` in POSIX form, or absolute outside of it. */
export function idOf(path: string, base: string): string {
  const inside = relative(base, path);
  const outside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || resolve(inside) === inside;
  return (outside ? path : inside).split(sep).join("/");
}

/**
 * Finds the named files and, recursively, the files of the named folders. Follows symbolic links, except to an ancestor
 * folder.
 * @param skip Folders to skip, such as the scripts' own output
 */
export async function findFiles(names: readonly string[], base: string, ...skip: readonly string[]): Promise<Found> {
  const files = new Map<string, string>();
  const unreadable = new Map<string, string>();
  const skipped = await Promise.all(skip.map((folder) => realpath(folder).catch(() => resolve(folder))));
  for (const name of names) await visit(resolve(base, name), [], true);
  return {
    files: sorted(files).map(([id, path]) => ({ path, id })),
    unreadable: sorted(unreadable).map(([id, reason]) => ({ id, reason })),
  };

  async function visit(path: string, ancestors: readonly string[], named: boolean, entry?: Dirent): Promise<void> {
    try {
      // The entry of the folder saves a stat call per file.
      const kind: Dirent | Stats = entry === undefined || entry.isSymbolicLink() ? await stat(path) : entry;
      if (kind.isFile()) files.set(idOf(path, base), path);
      else if (kind.isDirectory()) await visitFolder(path, ancestors);
      else if (named) unreadable.set(idOf(path, base), "is neither a file nor a folder");
    } catch (error) {
      unreadable.set(idOf(path, base), reasonOf(error));
    }
  }

  async function visitFolder(path: string, ancestors: readonly string[]): Promise<void> {
    const real = await realpath(path);
    if (skipped.includes(real) || ancestors.includes(real)) return;
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries) await visit(join(path, entry.name), [...ancestors, real], false, entry);
  }
}

/**
 * Finds files that a user has named, with ids relative to the working directory.
 * @throws CommandFailure when there is none
 */
export async function findNamedFiles(names: readonly string[], ...skip: readonly string[]): Promise<Found> {
  const found = await findFiles(names, process.cwd(), ...skip);
  if (found.files.length + found.unreadable.length === 0)
    throw new CommandFailure(`${names.join(", ")}: no files found`);
  return found;
}

function sorted(map: ReadonlyMap<string, string>): [string, string][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

const CHUNK = 256 * 1024;

/** Hash and size of a file. */
interface HashedFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
}

/** Hashes a file of any size in chunks. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<HashedFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = createReadStream(path, { highWaterMark: CHUNK, ...(signal === undefined ? {} : { signal }) });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { hash: hash.digest("hex"), bytes };
}
