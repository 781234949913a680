import { existsSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type KeystoreFiles, makeKeystore, openKeystore } from "../../server/chain/keys/relayer-keystore.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { syncDirectory } from "../../server/kit/durable-file.ts";

/**
 * The change of a keystore for one with a new key, which can be interrupted at any point and taken up again: the new
 * one is beside it until it has its rights, and the old one until it has none.
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

  /** The key that is to go and the one that is to come, which is made unless an earlier try has made it. */
  async keys(): Promise<{ old: Address; next: Address }> {
    const current = await openKeystore(this.#files);
    if (existsSync(this.#old.file)) {
      const { address: old } = await openKeystore(this.#old);
      // Copied, and not changed yet: that comes again.
      if (old !== current.address) return { old, next: current.address };
    }
    const next = existsSync(this.#next.file)
      ? (await openKeystore(this.#next)).address
      : await makeKeystore(this.#next);
    return { old: current.address, next };
  }

  /** Puts the new one in the old one's place. */
  async change(): Promise<void> {
    if (!existsSync(this.#next.file)) return;
    await copyFile(this.#files.file, this.#old.file);
    await rename(this.#next.file, this.#files.file);
    await syncDirectory(dirname(this.#files.file));
  }

  /** Removes the old one: its key has no rights any more. */
  async end(): Promise<void> {
    await rm(this.#old.file, { force: true });
  }
}
