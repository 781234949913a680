import { readFile } from "node:fs/promises";
import type { RelayerKey } from "./relayer-key.ts";
import { type KeystoreFiles, openKeystore } from "./relayer-keystore.ts";

/** How often it is looked whether the file has changed. */
const LOOK_MILLISECONDS = 2_000;

export interface KeystoreWatchDeps {
  readonly files: KeystoreFiles;
  readonly onKey: (key: RelayerKey) => Promise<void>;
  /** Told once for each content that is of no use. */
  readonly onRefused: (error: unknown) => void;
}

/** Watches over the relayer's keystore: another key in it is to be used from then on. */
export class KeystoreWatch {
  readonly #deps: KeystoreWatchDeps;
  #seen: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(deps: KeystoreWatchDeps) {
    this.#deps = deps;
  }

  /** @param address of the key in use: the file may have changed since it was opened */
  start(address: string): void {
    let current = address;
    this.#timer = setInterval(async () => {
      if (this.#looking) return;
      this.#looking = true;
      current = await this.#look(current);
      this.#looking = false;
    }, LOOK_MILLISECONDS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(current: string): Promise<string> {
    const { files, onKey, onRefused } = this.#deps;
    const text = await readFile(files.file, "utf8").catch(() => "");
    if (text === this.#seen) return current;
    this.#seen = text;
    try {
      const key = await openKeystore(files);
      if (key.address === current) return current;
      await onKey(key);
      return key.address;
    } catch (error) {
      onRefused(error);
      return current;
    }
  }
}
