import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SealbookError } from "../../errors.ts";
import { syncDirectory } from "../../kit/durable-file.ts";
import type { ObjectStore } from "./object-store.ts";

/** Ending of a file that is being written, or that a crash left. */
const TEMPORARY = ".tmp";

/** Name of a folder with objects; others, such as `lost+found`, may not be readable. */
const DIRECTORY = /^\d+$/;

/** Options of a folder target. */
export interface FolderOptions {
  readonly name: string;
  readonly path: string;
  /** Whether the folder must be a mount point. */
  readonly mountPoint: boolean;
}

/**
 * Stores objects in an existing folder. Never creates the folder itself: it may be missing because a disk is not
 * mounted.
 */
export class FolderStore implements ObjectStore {
  readonly name: string;
  readonly #path: string;
  readonly #mountPoint: boolean;

  constructor({ name, path, mountPoint }: FolderOptions) {
    this.name = name;
    this.#path = path;
    this.#mountPoint = mountPoint;
  }

  async *list(after: string): AsyncGenerator<string, void> {
    await this.#checkFolder();
    const entries = await readdir(this.#path, { withFileTypes: true });
    const directories = entries.flatMap((entry) =>
      entry.isDirectory() && DIRECTORY.test(entry.name) && entry.name >= dirname(after) ? [entry.name] : [],
    );
    for (const directory of directories.sort()) {
      const files = await readdir(join(this.#path, directory));
      const names = files.map((file) => `${directory}/${file}`);
      yield* names.filter((name) => name > after && !name.endsWith(TEMPORARY)).sort();
    }
  }

  async get(name: string, limit: number): Promise<Buffer | undefined> {
    await this.#checkFolder();
    const path = join(this.#path, name);
    const size = await sizeOf(path);
    return size === undefined || size > limit ? undefined : readFile(path);
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    await this.#checkFolder();
    const path = join(this.#path, name);
    await this.#makeDirectory(dirname(path));
    // Who stored it may have ended before it was on disk.
    if ((await sizeOf(path)) !== undefined) return syncDirectory(dirname(path));
    const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
    try {
      await writeSynced(temporary, content);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    await syncDirectory(dirname(path));
  }

  async #checkFolder(): Promise<void> {
    const [folder, parent] = await Promise.all([stat(this.#path), stat(dirname(this.#path))]).catch(
      (error: unknown) => {
        if (!isCode(error, "ENOENT", "ENOTDIR")) throw error;
        throw new SealbookError("not_found", `${this.#path} does not exist: is it mounted?`, { cause: error });
      },
    );
    if (!folder.isDirectory()) throw new SealbookError("not_found", `${this.#path} is not a folder`);
    if (this.#mountPoint && folder.dev === parent.dev) {
      throw new SealbookError("not_found", `nothing is mounted at ${this.#path}`);
    }
  }

  async #makeDirectory(directory: string): Promise<void> {
    try {
      await mkdir(directory);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    await syncDirectory(this.#path);
  }
}

/** Returns the length of a file; `undefined` when there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function writeSynced(path: string, content: Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}
