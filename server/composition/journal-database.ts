import { existsSync, mkdirSync } from "node:fs";
import { link, readFile, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseConfig } from "../config/notations.ts";
import type { Database } from "../journal/engine/database.ts";
import { openSqlite, type SqliteOptions } from "../journal/engine/sqlite.ts";
import type { StorageGuard } from "../journal/engine/storage-guard.ts";
import type { Config } from "../config/config.ts";
import { reasonOf, SealbookError } from "../errors.ts";
import { assertKeyOf, newestSequence } from "../journal/entries/journal-rows.ts";
import type { TransactionEnd } from "../journal/engine/durable-commits.ts";
import { HeadFile } from "../journal/integrity/head-file.ts";
import { JournalKey } from "../journal/integrity/journal-key.ts";
import { JournalMemory } from "../journal/integrity/memory.ts";
import { syncDirectory, writeFileDurably } from "../kit/durable-file.ts";
import { type DirectoryLock, lockDirectory } from "../kit/directory-lock.ts";
import type { Candidate, CandidateOptions } from "../journal/leader/candidate.ts";
import type { LeaderSession } from "../journal/leader/leader-session.ts";

/**
 * Opens the journal's database, of either engine; creates the tables in an empty one.
 * @param options Of the embedded engine
 * @throws SealbookError `config_invalid` when it cannot be used
 */
export async function openJournalDatabase(config: DatabaseConfig, options?: SqliteOptions): Promise<Database> {
  if (config.kind === "sqlite") return openSqlite(config.file, options);
  const { openPostgres } = await import("../journal/engine/postgres.ts");
  return openPostgres(config.url);
}

/** Returns the path of the embedded database when it does not exist yet; the first start of the server creates it. */
export function missingFile(config: DatabaseConfig): string | undefined {
  return config.kind === "sqlite" && !existsSync(config.file) ? config.file : undefined;
}

/** Returns whether there is a journal; `true` when the database does not respond. */
export async function hasJournal(config: DatabaseConfig): Promise<boolean> {
  if (config.kind === "sqlite") return existsSync(config.file);
  const { hasTables } = await import("../journal/engine/postgres.ts");
  return hasTables(config.url).catch(() => true);
}

const KEY_FILE = "journal.key";

/** Returns the file with the journal's key. */
export function journalKeyFile({ dataDirectory, journal: { keyFile } }: Config): string {
  return keyFile ?? join(dataDirectory, KEY_FILE);
}

/** A journal that this process appends to, and what it has seen of it. */
interface AppendableJournal extends OpenedJournal<JournalKey> {
  readonly memory: JournalMemory;
  readonly onEnd: TransactionEnd;
}

/** A journal: its database, and the key that its rows are written and checked with. */
export interface OpenedJournal<Key = JournalKey | undefined> {
  readonly database: Database;
  readonly key: Key;
}

/**
 * Opens the journal's database to append to it. The first one to open an empty journal creates its key.
 * @throws SealbookError `config_invalid` when the database or the key cannot be used
 */
async function openJournalToAppend(config: Config, guard: StorageGuard): Promise<AppendableJournal> {
  const memory = await JournalMemory.open(new HeadFile(config.dataDirectory));
  const onEnd = (isCommitted: boolean): void => memory.transactionEnded(isCommitted);
  const database = await openJournalDatabase(config.database, { guard, onEnd });
  try {
    const file = journalKeyFile(config);
    const key = (await readJournalKey(file)) ?? (await createJournalKey(database, file));
    await assertKeyOf(database, key, file);
    if (config.journal.mayBeNew && memory.newest.sequence > 0 && (await newestSequence(database)) === 0)
      await memory.forget();
    return { database, key: key.remembering(memory), memory, onEnd };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** The journal of a server. */
export interface SharedJournal {
  /** It remembers what this process has seen. */
  readonly key: JournalKey;
  readonly memory: JournalMemory;
  /** With it the relayer leads, unless another one does; without it nobody else can. */
  readonly candidate: Candidate | undefined;
  /**
   * Returns the database for a role.
   * @param session Returns the leader's session; without one, writes fail with SealbookError `not_leader`
   */
  roleDatabase(session: () => LeaderSession | undefined): Database;
  close(): Promise<void>;
}

/**
 * Opens the journal for a server. Of several servers with one PostgreSQL database one at a time leads and writes.
 * @throws SealbookError as {@link openJournalToAppend}; `conflict` when another process has the database file
 */
export async function openSharedJournal(
  config: Config,
  guard: StorageGuard,
  leader: CandidateOptions,
): Promise<SharedJournal> {
  if (config.database.kind === "sqlite") {
    const lock = lockFileOf(config.database.file, config.dataDirectory);
    try {
      const { database, key, memory } = await openJournalToAppend(config, guard);
      const close = async (): Promise<void> => {
        await database.destroy();
        lock?.release();
      };
      return { key, memory, candidate: undefined, roleDatabase: () => database, close };
    } catch (error) {
      lock?.release();
      throw error;
    }
  }
  const { database, key, memory, onEnd } = await openJournalToAppend(config, guard);
  await database.destroy();
  const [{ SharedPostgres }, { Candidate }] = await Promise.all([
    import("../journal/engine/postgres.ts"),
    import("../journal/leader/candidate.ts"),
  ]);
  const shared = new SharedPostgres(config.database.url, onEnd);
  return {
    key,
    memory,
    candidate: new Candidate(config.database.url, leader),
    roleDatabase: (session) => shared.database(session),
    close: () => shared.close(),
  };
}

/** Locks a database file outside of the data folder, which has its own lock. */
export function lockFileOf(file: string, dataDirectory: string): DirectoryLock | undefined {
  const folder = dirname(resolve(file));
  if (folder === resolve(dataDirectory)) return undefined;
  try {
    mkdirSync(folder, { recursive: true });
    return lockDirectory(folder, `${basename(file)}.lock`);
  } catch (error) {
    if (error instanceof SealbookError) throw error;
    const message = `DATABASE_URL: ${folder} cannot be used: ${reasonOf(error)}`;
    throw new SealbookError("config_invalid", message, { cause: error });
  }
}

/**
 * Opens the journal's database to read it. Rows are checked with the key when it is there; third parties have none.
 * @throws SealbookError `config_invalid` when the database or the key cannot be used
 */
export async function openJournalToRead(config: Config): Promise<OpenedJournal> {
  const database = await openJournalDatabase(config.database);
  try {
    const file = journalKeyFile(config);
    const key = await readJournalKey(file);
    if (key !== undefined) await assertKeyOf(database, key, file);
    return { database, key };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/**
 * Reads the journal's key.
 * @returns `undefined` when the file does not exist
 * @throws SealbookError `config_invalid` when it has no key
 */
export async function readJournalKey(file: string): Promise<JournalKey | undefined> {
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
        "set JOURNAL_KEY_FILE. When it is lost, write the journal under a new key with " +
        "`npx sealbook journal restore --new-key`",
    );
  }
  // A server and a command can start at the same time: the file of the first one counts.
  const fresh = `${file}.${process.pid}`;
  await writeJournalKey(fresh, JournalKey.generate()).catch((error: Error) => {
    throw new SealbookError(
      "config_invalid",
      `JOURNAL_KEY_FILE: ${file} does not exist, and cannot be created: ${error.message}`,
      { cause: error },
    );
  });
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
