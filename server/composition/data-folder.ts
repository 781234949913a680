import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError } from "../errors.ts";
import { type DirectoryLock, lockDirectory } from "../kit/directory-lock.ts";

const RETRY_MILLISECONDS = 100;
const WAIT_MILLISECONDS = 60_000;

/** Says with which key the server signs: the one that the command that changes it waits for. */
export const RELAYER_FILE = "relayer-address";

/**
 * Takes the data folder for a server, or for work that no server may disturb.
 * @throws SealbookError `conflict` naming the process that has it; `config_invalid` when it cannot be used at all
 */
export async function holdDataFolder(directory: string): Promise<DirectoryLock> {
  return hold(directory, "lock");
}

/** Takes the right to administer accounts, beside a server or without one; waits while another process has it. */
export async function holdAdministration(directory: string): Promise<DirectoryLock> {
  for (const deadline = Date.now() + WAIT_MILLISECONDS; ; await sleep(RETRY_MILLISECONDS)) {
    try {
      return await hold(directory, "administration");
    } catch (error) {
      const isHeld = error instanceof SealbookError && error.code === "conflict";
      if (!isHeld || Date.now() > deadline) throw error;
    }
  }
}

async function hold(directory: string, use: string): Promise<DirectoryLock> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return lockDirectory(directory, use);
  } catch (error) {
    if (error instanceof SealbookError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SealbookError("config_invalid", `DATA_DIR: ${directory} cannot be used: ${reason}`, { cause: error });
  }
}
