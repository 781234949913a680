import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const SECRET_MODE = 0o600;
const PUBLIC_MODE = 0o644;

/** A file whose content is derived from network.json. */
export interface DerivedFile {
  /** Relative to the network's folder. */
  readonly path: string;
  readonly content: string;
}

/** Results per file. */
export interface Outcome {
  readonly written: string[];
  readonly kept: string[];
  /** Files edited by hand, which are not overwritten. */
  readonly changed: string[];
}

/** The network's folder. Files are added and updated, never deleted. */
export class Folder {
  readonly root: string;
  readonly outcome: Outcome = { written: [], kept: [], changed: [] };

  constructor(root: string) {
    this.root = root;
  }

  /** @returns `undefined` when the file does not exist */
  async read(path: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.root, path), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Writes a file unless it exists; keeps an existing file even if it differs. */
  async add({ path, content }: DerivedFile): Promise<void> {
    const current = await this.read(path);
    if (current === undefined) await this.write(path, content);
    else (current === content ? this.outcome.kept : this.outcome.changed).push(path);
  }

  /** Writes a file unless it has this content already. */
  async update({ path, content }: DerivedFile): Promise<void> {
    if ((await this.read(path)) === content) this.outcome.kept.push(path);
    else await this.write(path, content);
  }

  /** Records a file as existing and unchanged, unless it was written just before. */
  keep(path: string): void {
    if (!this.outcome.written.includes(path)) this.outcome.kept.push(path);
  }

  /** Creates a folder that another program writes to. */
  async addDirectory(path: string): Promise<void> {
    await mkdir(join(this.root, path), { recursive: true });
  }

  /** Writes a file atomically. */
  async write(path: string, content: string | Uint8Array, { secret = false } = {}): Promise<void> {
    const file = join(this.root, path);
    await mkdir(dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}.tmp`;
    const mode = secret ? SECRET_MODE : PUBLIC_MODE;
    try {
      await writeFile(temporary, content, { mode });
      // Sets the mode explicitly, independent of the umask.
      await chmod(temporary, mode);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.outcome.written.push(path);
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
