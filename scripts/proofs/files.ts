import type { Dirent, Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { createHash } from "node:crypto";
import { CommandFailure } from "../commands/run-command.ts";
import { reasonOf } from "./reason.ts";

/** A file to prove or verify. */
export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** The POSIX path relative to the working directory, or the absolute path outside of it, in the Unicode form NFC. */
  readonly id: string;
  /** SHA-256 of the content, lower-case hex, when it is known: then the file is not read. */
  readonly hash?: string;
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

/**
 * Returns the id of a path: relative to `base` in POSIX form, or absolute outside of it. File systems return the same
 * name in different Unicode forms, so that ids have one of them.
 */
export function idOf(path: string, base: string): string {
  const inside = relative(base, path);
  const outside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || resolve(inside) === inside;
  return (outside ? path : inside).split(sep).join("/").normalize("NFC");
}

export const NOT_UTF8 = "has a name that is not UTF-8 text; rename it";
const SAME_NAME = "has a name that differs from that of another file only in its Unicode form; rename one of them";

/**
 * Finds the named files and, recursively, the files of the named folders. Follows symbolic links, except to an ancestor
 * folder. Reads names as bytes: those that are no text, and those that are not distinct as text, are unreadable.
 * @param skip Folders to skip, such as the scripts' own output
 */
export async function findFiles(names: readonly string[], base: string, ...skip: readonly string[]): Promise<Found> {
  const paths = new Map<string, Set<string>>();
  const unreadable = new Map<string, string>();
  const skipped = await Promise.all(skip.map((folder) => realpath(folder).catch(() => resolve(folder))));
  for (const name of names) await visit(resolve(base, name), [], true);
  const files: FoundFile[] = [];
  for (const [id, [path, ...others]] of sorted(paths)) {
    if (path === undefined) continue;
    if (others.length === 0) files.push({ path, id });
    // The names as the file system has them.
    else for (const each of [path, ...others]) unreadable.set(escaped(Buffer.from(relative(base, each))), SAME_NAME);
  }
  return { files, unreadable: sorted(unreadable).map(([id, reason]) => ({ id, reason })) };

  async function visit(path: string, ancestors: readonly string[], named: boolean, entry?: NamedEntry): Promise<void> {
    const id = idOf(path, base);
    try {
      // The entry of the folder saves a stat call per file.
      const kind: NamedEntry | Stats = entry === undefined || entry.isSymbolicLink() ? await stat(path) : entry;
      if (kind.isFile()) paths.set(id, (paths.get(id) ?? new Set()).add(path));
      else if (kind.isDirectory()) await visitFolder(path, ancestors);
      else if (named) unreadable.set(id, "is neither a file nor a folder");
    } catch (error) {
      unreadable.set(id, reasonOf(error));
    }
  }

  async function visitFolder(path: string, ancestors: readonly string[]): Promise<void> {
    const real = await realpath(path);
    if (skipped.includes(real) || ancestors.includes(real)) return;
    for (const entry of await readdir(path, { withFileTypes: true, encoding: "buffer" })) {
      const name = textOf(entry.name);
      if (name === undefined)
        unreadable.set(`${idOf(join(path, "_"), base).slice(0, -1)}${escaped(entry.name)}`, NOT_UTF8);
      else await visit(join(path, name), [...ancestors, real], false, entry);
    }
  }
}

/** An entry of a folder, with its name as bytes. */
type NamedEntry = Dirent<Buffer>;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a name; `undefined` for bytes that are not UTF-8. */
export function textOf(name: Uint8Array): string | undefined {
  try {
    return utf8.decode(name);
  } catch {
    return undefined;
  }
}

/** The names in folders, see {@link namesIn}. */
const listed = new Map<string, Promise<ReadonlyMap<string, string>>>();

/** Returns the names in a folder by their form NFC; none without a folder. It is listed once in a run of a command. */
export function namesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const known =
    listed.get(folder) ??
    readdir(folder, { encoding: "buffer" }).then(
      (names) => new Map(names.flatMap((name) => textOf(name) ?? []).map((name) => [name.normalize("NFC"), name])),
      () => new Map<string, string>(),
    );
  listed.set(folder, known);
  return known;
}

/** Writes the bytes of a name that no terminal shows, or shows like another one. */
export function escaped(name: Uint8Array): string {
  return Array.from(name, (byte) =>
    byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");
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

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

const CHUNK = 256 * 1024;

/** Returns the known hash of a file, or hashes it. */
export async function contentOf(
  { path, hash }: FoundFile,
  signal?: AbortSignal,
): Promise<{ hash: string; bytes?: number }> {
  return hash === undefined ? hashFile(path, signal) : { hash };
}

/** Hash and size of a file. */
interface HashedFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Hashes a file of any size in chunks.
 * @throws Error when the file changes meanwhile: then the hash is that of no content
 */
export async function hashFile(path: string, signal?: AbortSignal): Promise<HashedFile> {
  await using file = await open(path);
  const before = await file.stat({ bigint: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const options = { highWaterMark: CHUNK, autoClose: false, ...(signal === undefined ? {} : { signal }) };
  for await (const chunk of file.createReadStream(options) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const after = await file.stat({ bigint: true });
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || after.size !== BigInt(bytes))
    throw new Error("changed while it was read; repeat the command when it is complete");
  return { hash: hash.digest("hex"), bytes };
}
