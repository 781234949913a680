import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ChainConfig } from "../config/config.ts";
import type { DatabaseConfig } from "../config/notations.ts";
import type { Database } from "../journal/engine/database.ts";
import type { StorageGuard } from "../journal/engine/storage-guard.ts";
import { newestSequence } from "../journal/entries/journal-rows.ts";
import type { ChainLink } from "./chain-link.ts";
import { hasJournal } from "./journal-database.ts";
import { reasonOf, SealbookError } from "../errors.ts";
import { type DirectoryLock, lockDirectory } from "../kit/directory-lock.ts";
import { waitFor } from "../kit/time.ts";
import { fetchQuantity } from "../chain/rpc/query.ts";

/** File that holds the lock of the folder. */
const LOCK_FILE = "lock.sqlite";
const ADMINISTRATION_WAIT = { intervalMilliseconds: 100, timeoutMilliseconds: 60_000 };

/** File with the address that the server signs with: a server has run in the folder. */
export const RELAYER_FILE = "relayer-address";

/** File with the demo account of the embedded chain. */
export const DEMO_ACCOUNT_FILE = "demo-account.json";
/** Files that only a server writes, after its journal exists. */
const SERVER_FILES = [RELAYER_FILE, DEMO_ACCOUNT_FILE];

const WAY_BACK =
  "Restore the journal from a backup or with `npx sealbook journal restore --from TARGET`, or set NEW_JOURNAL=yes to " +
  "start an empty one";

/**
 * Checks that the folder of a server that ran before still has its journal.
 * @throws SealbookError `config_invalid`
 */
export async function assertJournalExists({ dataDirectory }: ChainConfig, database: DatabaseConfig): Promise<void> {
  const found = SERVER_FILES.find((name) => existsSync(join(dataDirectory, name)));
  if (found === undefined || (await hasJournal(database))) return;
  const where = database.kind === "sqlite" ? database.file : "the database of DATABASE_URL";
  throw new SealbookError(
    "config_invalid",
    `${dataDirectory} has ${found} of an earlier server, but there is no journal in ${where}. ${WAY_BACK}`,
  );
}

/**
 * Checks that an empty journal is that of a relayer that has sent nothing yet. Without the chain nothing is checked.
 * @throws SealbookError `config_invalid`
 */
export async function assertJournalOfRelayer(database: Database, { rpc, relayer }: ChainLink): Promise<void> {
  if ((await newestSequence(database)) > 0) return;
  if ((await database.selectFrom("transactions").select("id").limit(1).executeTakeFirst()) !== undefined) return;
  const sent = await fetchQuantity(rpc, "eth_getTransactionCount", [relayer.address, "latest"]).catch(() => 0);
  if (sent === 0) return;
  throw new SealbookError(
    "config_invalid",
    `the journal is empty, but the relayer ${relayer.address} has sent ${sent} transactions on chain ${rpc.chainId}. ` +
      WAY_BACK,
  );
}

/** Adds the folder and its lock to what must stay in place. */
export function pinDataFolder(directory: string, guard: StorageGuard): void {
  guard.pin(directory);
  guard.pin(join(directory, LOCK_FILE));
}

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
  const lock = await waitFor(() => hold(directory, "administration").catch(ifLocked), ADMINISTRATION_WAIT);
  return lock ?? (await hold(directory, "administration"));
}

function ifLocked(error: unknown): undefined {
  if (!(error instanceof SealbookError && error.code === "conflict")) throw error;
}

async function hold(directory: string, use: string): Promise<DirectoryLock> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return lockDirectory(directory, use);
  } catch (error) {
    if (error instanceof SealbookError) throw error;
    const reason = reasonOf(error);
    throw new SealbookError("config_invalid", `DATA_DIR: ${directory} cannot be used: ${reason}`, { cause: error });
  }
}
