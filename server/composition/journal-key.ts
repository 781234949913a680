import { link, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import type { StorageGuard } from "../journal/engine/storage-guard.ts";
import { newestSequence } from "../journal/entries/entry-log.ts";
import { assertKeyOf } from "../journal/entries/journal-rows.ts";
import { JournalKey, useJournalKey } from "../journal/integrity/journal-key.ts";
import { syncDirectory, writeFileDurably } from "../kit/durable-file.ts";
import { openJournalDatabase } from "./database.ts";

const KEY_FILE = "journal.key";

/** Returns the file with the journal's key. */
export function journalKeyFile({ dataDirectory, journal: { keyFile } }: Config): string {
  return keyFile ?? join(dataDirectory, KEY_FILE);
}

/**
 * Opens the journal's database to append to it. The first one to open an empty journal creates its key.
 * @throws SealbookError `config_invalid` when the database or the key cannot be used
 */
export async function openJournalToAppend(config: Config, guard?: StorageGuard): Promise<Database> {
  const database = await openJournalDatabase(config.database, guard);
  try {
    const file = journalKeyFile(config);
    const key = (await readJournalKey(file)) ?? (await createJournalKey(database, file));
    await assertKeyOf(database, key, file);
    useJournalKey(database, key);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * Opens the journal's database to read it. Rows are checked with the key when it is there; third parties have none.
 * @throws SealbookError `config_invalid` when the database or the key cannot be used
 */
export async function openJournalToRead(config: Config): Promise<Database> {
  const database = await openJournalDatabase(config.database);
  try {
    const file = journalKeyFile(config);
    const key = await readJournalKey(file);
    if (key !== undefined) await assertKeyOf(database, key, file);
    useJournalKey(database, key);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * @returns `undefined` when the file does not exist
 * @throws SealbookError `config_invalid` when it has no key
 */
async function readJournalKey(file: string): Promise<JournalKey | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new SealbookError("config_invalid", `the journal's key cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const key = JournalKey.parse(text);
  if (key === undefined) throw new SealbookError("config_invalid", `${file} does not have 64 hex digits: no key`);
  return key;
}

async function createJournalKey(database: Database, file: string): Promise<JournalKey> {
  if ((await newestSequence(database)) > 0) {
    throw new SealbookError(
      "config_invalid",
      `the journal's key ${file} is missing. Restore it from a backup of DATA_DIR; relayers of one journal share it: ` +
        "set JOURNAL_KEY_FILE. When it is lost, write the journal under a new key with `npm run journal -- rekey`",
    );
  }
  // A server and a command can start at the same time: the file of the first one counts.
  const fresh = `${file}.${process.pid}`;
  await writeJournalKey(fresh, JournalKey.generate());
  try {
    await link(fresh, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await unlink(fresh);
  }
  await syncDirectory(dirname(file));
  const key = await readJournalKey(file);
  if (key === undefined) throw new SealbookError("config_invalid", `the journal's key ${file} was removed`);
  return key;
}

/** Writes the key's file, which only its owner can read. */
export async function writeJournalKey(file: string, key: JournalKey): Promise<void> {
  await writeFileDurably(file, [Buffer.from(key.text())]);
}
