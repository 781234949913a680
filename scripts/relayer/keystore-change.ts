import { copyFile, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { existsSync } from "node:fs";
import { holdDataFolder, RELAYER_FILE } from "../../server/composition/data-folder.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
import { waitFor } from "../../server/kit/time.ts";
import { type KeystoreFiles, makeKeystore, openKeystore } from "../../server/chain/keys/keystore.ts";
import { syncDirectory } from "../../server/kit/durable-file.ts";

const ROTATION_WAIT = { intervalMilliseconds: 200, timeoutMilliseconds: 120_000 };

/**
 * Waits until the server of a data folder signs with a key and has no transactions of another key in flight.
 * @returns Whether it does; true if no server runs, because its next start uses the key
 */
export async function untilInUse(dataDirectory: string, address: Address): Promise<boolean> {
  const file = join(dataDirectory, RELAYER_FILE);
  const isUsed = async (): Promise<true | undefined> =>
    (await readFile(file, "utf8").catch(() => "")) === address || !(await isServed(dataDirectory)) ? true : undefined;
  return (await waitFor(isUsed, ROTATION_WAIT)) ?? false;
}

async function isServed(dataDirectory: string): Promise<boolean> {
  try {
    (await holdDataFolder(dataDirectory)).release();
    return false;
  } catch (error) {
    if (error instanceof SealbookError && error.code === "conflict") return true;
    throw error;
  }
}

/**
 * Replaces a keystore by one with a new key. Can be interrupted at any point and repeated: the new file is stored next
 * to the current one until its key has its roles, and the old file until its key has none.
 */
export class KeystoreChange {
  readonly #files: KeystoreFiles;

  constructor(files: KeystoreFiles) {
    this.#files = files;
  }

  get #next(): KeystoreFiles {
    return { ...this.#files, file: `${this.#files.file}.next` };
  }

  get #old(): KeystoreFiles {
    return { ...this.#files, file: `${this.#files.file}.old` };
  }

  /** Returns the old and the new key. Creates the new key unless an earlier attempt has created it. */
  async keys(): Promise<{ old: Address; next: Address }> {
    const current = await openKeystore(this.#files);
    if (existsSync(this.#old.file)) {
      const { address: old } = await openKeystore(this.#old);
      // If the addresses are equal, the copy exists but the replacement is still to do.
      if (old !== current.address) return { old, next: current.address };
    }
    const next = existsSync(this.#next.file)
      ? (await openKeystore(this.#next)).address
      : await makeKeystore(this.#next);
    return { old: current.address, next };
  }

  /** Replaces the old keystore by the new one. */
  async change(): Promise<void> {
    if (!existsSync(this.#next.file)) return;
    await copyFile(this.#files.file, this.#old.file);
    await rename(this.#next.file, this.#files.file);
    await syncDirectory(dirname(this.#files.file));
  }

  /** Deletes the old keystore after its key has lost its roles. */
  async end(): Promise<void> {
    await rm(this.#old.file, { force: true });
  }
}
