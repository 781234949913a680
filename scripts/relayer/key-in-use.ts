import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { holdDataFolder, RELAYER_FILE } from "../../server/composition/data-folder.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";

const WAIT_MILLISECONDS = 120_000;
const RETRY_MILLISECONDS = 200;

/**
 * Waits until the server of a data folder signs with a key and has no transactions of another key in flight.
 * @returns Whether it does; true if no server runs, because its next start uses the key
 */
export async function untilInUse(dataDirectory: string, address: Address): Promise<boolean> {
  for (const deadline = Date.now() + WAIT_MILLISECONDS; Date.now() < deadline; await sleep(RETRY_MILLISECONDS)) {
    if ((await readFile(join(dataDirectory, RELAYER_FILE), "utf8").catch(() => "")) === address) return true;
    if (!(await isServed(dataDirectory))) return true;
  }
  return false;
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
