import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { holdDataFolder, RELAYER_FILE } from "../../server/composition/data-folder.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
import { waitFor } from "../../server/kit/time.ts";

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
