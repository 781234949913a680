import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SealbookError } from "../../errors.ts";
import { syncDirectory } from "../../kit/durable-file.ts";
import type { ObjectStore } from "./object-store.ts";

const TEMPORARY = ".tmp";
/** Age from which a temporary file belongs to no running writer. */
const TEMPORARY_AGE_MILLISECONDS = 3_600_000;

/** Options of a folder target. */
export interface FolderOptions {
  readonly name: string;
  readonly path: string;
  /** Whether the folder must be a mount point. */
  readonly mountPoint: boolean;
}

/**
 * Stores files in an existing folder. Never creates the folder itself: it may be missing because a disk is not mounted.
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

  async get(key: string, limit: number): Promise<Buffer | undefined> {
    await this.#checkFolder();
    try {
      const path = join(this.#path, key);
      const { size } = await stat(path);
      if (size > limit)
        throw new SealbookError("too_large", `${key} has ${size} bytes, more than the ${limit} it should`);
      return await readFile(path);
    } catch (error) {
      if (isCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  async create(key: string, content: Uint8Array): Promise<boolean> {
    await this.#checkFolder();
    const path = join(this.#path, key);
    const directory = dirname(path);
    if (directory !== this.#path) await this.#makeDirectory(directory);
    const temporary = `${path}.${randomUUID()}${TEMPORARY}`;
    try {
      await writeSynced(temporary, content);
      // Unlike a rename, a link never overwrites a file.
      await link(temporary, path);
    } catch (error) {
      if (isCode(error, "EEXIST")) return false;
      if (!isCode(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw error;
      throw new SealbookError(
        "conflict",
        `${this.name} is on a file system without hard links, which it takes to never overwrite`,
        { cause: error },
      );
    } finally {
      await rm(temporary, { force: true });
    }
    await syncDirectory(directory);
    return true;
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#path, key), { force: true });
  }

  async directories(from: string): Promise<string[]> {
    await this.#checkFolder();
    const entries = await readdir(this.#path, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && entry.name >= from ? [entry.name] : [])).sort();
  }

  async files(directory: string): Promise<string[]> {
    await this.#checkFolder();
    const names = await readdir(join(this.#path, directory)).catch((error: unknown) => {
      if (isCode(error, "ENOENT")) return [];
      throw error;
    });
    await this.#removeTemporary(
      directory,
      names.filter((name) => name.endsWith(TEMPORARY)),
    );
    return names.filter((name) => !name.endsWith(TEMPORARY)).sort();
  }

  close(): void {}

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
      await syncDirectory(this.#path);
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
  }

  /** Removes temporary files of a process that ended. */
  async #removeTemporary(directory: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.#path, directory, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > TEMPORARY_AGE_MILLISECONDS) await rm(path, { force: true });
    }
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
