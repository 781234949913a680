import type { Dirent, Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { reasonOf } from "./reason.ts";

/** A file to be proved or verified. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** The path relative to the working directory, in POSIX form; the absolute one outside of it. */
  readonly id: string;
}

/** A file or folder that could not be looked at. */
export interface Unreadable {
  readonly id: string;
  readonly reason: string;
}

/** What was found, in the order of the ids, each once. */
export interface Found {
  readonly files: FoundFile[];
  readonly unreadable: Unreadable[];
}

/** How a path is named: relative to `base`, in POSIX form, or absolute outside of it. */
export function idOf(path: string, base: string): string {
  const inside = relative(base, path);
  const outside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || resolve(inside) === inside;
  return (outside ? path : inside).split(sep).join("/");
}

/**
 * Finds the regular files that are named or in folders that are named, however deep. Symbolic links are followed,
 * except to a folder that the way there leads through.
 * @param skip Folders to leave out: what the scripts write is no document
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
      // What a folder says of its entries saves a call for each of many files.
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

function sorted(map: ReadonlyMap<string, string>): [string, string][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
