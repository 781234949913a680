import type { Config } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import { StorageGuard } from "../journal/engine/storage-guard.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { Candidate } from "../journal/leader/candidate.ts";
import type { LeaderSession } from "../journal/leader/leader-session.ts";
import { holdDataFolder } from "./data-folder.ts";
import { lockFileOf, type OpenedJournal, openSharedJournal } from "./journal-database.ts";

/** In place of a relayer's id: it has no address. */
const HOLDER = "a command";

/** A journal without a server, until it is disposed. */
export type OfflineJournal = OpenedJournal<JournalKey> & AsyncDisposable;

/**
 * Opens a journal to write it without a server: holds the data folder, and leads on PostgreSQL.
 * @throws SealbookError `conflict` when a server or a command has the folder; `not_leader` when one of another folder
 * has the database
 */
export async function openOfflineJournal(config: Config): Promise<OfflineJournal> {
  await using opened = new AsyncDisposableStack();
  const lock = await holdDataFolder(config.dataDirectory);
  opened.defer(() => lock.release());
  const journal = await openSharedJournal(config, new StorageGuard(), { holder: HOLDER }).catch(ofAnother);
  opened.defer(() => journal.close());
  const session = journal.candidate && (await lead(journal.candidate));
  opened.defer(() => session?.end());
  const resources = opened.move();
  return {
    database: journal.roleDatabase(() => session),
    key: journal.key,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Prevents that a server writes a journal that has its tables, as long as the result is not disposed.
 * @throws SealbookError `not_leader` when a server of another folder has the database
 */
export async function holdJournal({ database, dataDirectory }: Config): Promise<AsyncDisposable> {
  if (database.kind === "sqlite") {
    try {
      const lock = lockFileOf(database.file, dataDirectory);
      return { [Symbol.asyncDispose]: async () => lock?.release() };
    } catch (error) {
      return ofAnother(error);
    }
  }
  const { Candidate } = await import("../journal/leader/candidate.ts");
  const session = await lead(new Candidate(database.url, { holder: HOLDER }));
  return { [Symbol.asyncDispose]: () => session.end() };
}

/** Waiting for the server of another folder would not help. */
function ofAnother(error: unknown): never {
  if (error instanceof SealbookError && error.code === "conflict") throw elsewhere(error);
  throw error;
}

function elsewhere(cause?: unknown): SealbookError {
  const message = "a server of another DATA_DIR writes this database";
  return new SealbookError("not_leader", message, { cause });
}

async function lead(candidate: Candidate): Promise<LeaderSession> {
  const session = await candidate.attempt();
  if (session !== undefined) return session;
  throw elsewhere();
}
