import { readFile } from "node:fs/promises";
import { every, type Interval } from "../../kit/interval.ts";
import type { RelayerKey } from "./relayer-key.ts";
import { type KeystoreFiles, openKeystore } from "./relayer-keystore.ts";

/** Interval of the checks for a changed file. */
const LOOK_MILLISECONDS = 2_000;

export interface KeystoreWatchDeps {
  readonly files: KeystoreFiles;
  readonly onKey: (key: RelayerKey) => Promise<void>;
  /** Called once for each unusable content. */
  readonly onRefused: (error: unknown) => void;
}

/** Watches the relayer's keystore and changes to its new key. */
export class KeystoreWatch {
  readonly #deps: KeystoreWatchDeps;
  #seen: string | undefined;
  #checks: Interval | undefined;

  constructor(deps: KeystoreWatchDeps) {
    this.#deps = deps;
  }

  /** @param address Address of the current key: the file may have changed since it was opened */
  start(address: string): void {
    let current = address;
    this.#checks = every(LOOK_MILLISECONDS, async () => {
      current = await this.#look(current);
    });
  }

  stop(): void {
    void this.#checks?.stop();
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
