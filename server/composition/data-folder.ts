import { mkdir } from "node:fs/promises";
import { SealbookError } from "../errors.ts";
import { type DirectoryLock, lockDirectory } from "../kit/directory-lock.ts";
import { waitFor } from "../kit/deadline.ts";

const ADMINISTRATION_WAIT = { intervalMilliseconds: 100, timeoutMilliseconds: 60_000 };

/** File with the address that the server signs with; `relayer rotate` waits for it to change. */
export const RELAYER_FILE = "relayer-address";

/**
 * Locks the data folder for a server, or for work without one.
 * @throws SealbookError `conflict` naming the process that has it; `config_invalid` when it cannot be used
 */
export async function holdDataFolder(directory: string): Promise<DirectoryLock> {
  return hold(directory, "lock");
}

/**
 * Locks the administration of accounts, beside a server or without one; waits while another process has it.
 * @throws SealbookError `conflict` naming the process that has it for too long; `config_invalid` as {@link
 * holdDataFolder}
 */
export async function holdAdministration(directory: string): Promise<DirectoryLock> {
  const lock = await waitFor(() => hold(directory, "administration").catch(ifHeld), ADMINISTRATION_WAIT);
  return lock ?? (await hold(directory, "administration"));
}

function ifHeld(error: unknown): undefined {
  if (!(error instanceof SealbookError && error.code === "conflict")) throw error;
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
