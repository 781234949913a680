import { closeSync, fdatasync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { type Dialect, SqliteAdapter, SqliteDialect, type SqliteStatement } from "kysely";
import { SealbookError } from "../../errors.ts";
import { makePrivate, restrict } from "../../kit/durable-file.ts";
import { type Database, openDatabase } from "./database.ts";
import { type CommitLog, durableCommits, type TransactionEnd } from "./durable-commits.ts";
import { isBusy, translateError } from "./sqlite-errors.ts";
import { StorageGuard } from "./storage-guard.ts";

/** Syncs an open file to disk. */
export type DataSync = (descriptor: number) => Promise<void>;

/** Options of the embedded engine. */
export interface SqliteOptions {
  /** Gets the files of the database, and rejects writes while one of them is not in place. */
  readonly guard?: StorageGuard;
  readonly dataSync?: DataSync;
  /** Called at the end of each write transaction. */
  readonly onEnd?: TransactionEnd | undefined;
}

/** Maximum number of cached statements: preparing one takes longer than running it. */
const MAX_STATEMENTS = 500;

/** Maximum wait for another process that writes. */
const LOCK_TIMEOUT_MILLISECONDS = 5_000;
const LOCK_RETRY_MILLISECONDS = 5;

const NOTHING_DONE = { changes: 0, lastInsertRowid: 0 };

interface Prepared {
  readonly statement: StatementSync;
  /** Whether it returns rows. */
  readonly reader: boolean;
}

/**
 * The embedded engine: one file, write-ahead log, every commit synced to disk before it returns.
 *
 * @param file Path of the database, which only its owner can read; its folder is created when missing
 */
export function sqliteDialect(
  file: string,
  { guard = new StorageGuard(), dataSync = promisify(fdatasync), onEnd }: SqliteOptions = {},
): Dialect {
  mkdirSync(dirname(file), { recursive: true });
  makePrivate(file);
  for (const suffix of ["-wal", "-shm"]) restrict(`${file}${suffix}`);
  const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MILLISECONDS });
  useWriteAheadLog(database);
  // LIKE is case-sensitive. Hashes are spread over pages at random: a larger cache and rarer WAL checkpoints save
  // reads, and write a page once for several commits. Statement journals stay in memory: as files they would cost more
  // than the statements. SQLite syncs what a WAL checkpoint moves into the database; commits are synced below. Data
  // deleted from a page are overwritten in it.
  database.exec(`
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA case_sensitive_like = ON;
    PRAGMA cache_size = -24576;
    PRAGMA wal_autocheckpoint = 32000;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = FAST;
  `);
  guard.pin(file, { neverShrinks: true });
  const prepare = statementsOf(database, (reason) => guard.damaged(reason));
  const log = new LogFile(`${file}-wal`, guard, dataSync);
  const dialect = new EmbeddedDialect({
    database: {
      close() {
        log.close();
        database.close();
      },
      prepare,
    },
  });
  return durableCommits(dialect, log, onEnd);
}

/**
 * The embedded engine with a connection that can only read, beside the one that writes: neither waits for the other.
 *
 * @param file Path of an existing database
 * @throws SealbookError `journal_unavailable` when it cannot be opened
 */
export function sqliteQueryDialect(file: string): Dialect {
  // The connection that writes reports damage as well.
  const ignore = (): void => undefined;
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MILLISECONDS });
    return new SqliteDialect({
      database: { close: () => database.close(), prepare: statementsOf(database, ignore) },
    });
  } catch (error) {
    throw translateError(error, ignore);
  }
}

/** Prepares statements, each once. */
function statementsOf(database: DatabaseSync, onDamage: (reason: string) => void): (text: string) => SqliteStatement {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw translateError(error, onDamage);
    }
  };
  const statements = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS });
  const prepared = (text: string): Prepared => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    const made = { statement, reader: statement.columns().length > 0 };
    // There are few different queries; only lists of values add more.
    statements.set(text, made);
    return made;
  };
  return (text) => {
    // A deferred transaction that writes after a read fails at once when another process has written meanwhile; an
    // immediate one waits for the lock.
    const { statement, reader } = attempt(() => prepared(text === "begin" ? "begin immediate" : text));
    const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(inputValue);
    return {
      reader,
      all: (parameters) => attempt(() => statement.all(...values(parameters))),
      // A full disk rolls the transaction back; a second rollback would fail and hide the cause.
      run: (parameters) =>
        text === "rollback" && !database.isTransaction
          ? NOTHING_DONE
          : attempt(() => statement.run(...values(parameters))),
      iterate: (parameters) => statement.iterate(...values(parameters)),
    };
  };
}

/**
 * Switches to the write-ahead log. SQLite does not wait for the lock here, so that the first start of two processes on
 * a new file would fail.
 */
function useWriteAheadLog(database: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = performance.now() + LOCK_TIMEOUT_MILLISECONDS; ;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(pause, 0, 0, LOCK_RETRY_MILLISECONDS);
    }
  }
}

class EmbeddedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter();
  }
}

/** Migrates in one transaction: atomically, and once when two processes start at the same time. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The write-ahead log: it stays the same file as long as a connection is open. */
class LogFile implements CommitLog {
  readonly #path: string;
  readonly #guard: StorageGuard;
  readonly #dataSync: DataSync;
  #descriptor: number | undefined;

  constructor(path: string, guard: StorageGuard, dataSync: DataSync) {
    this.#path = path;
    this.#guard = guard;
    this.#dataSync = dataSync;
  }

  assertWritable(): void {
    this.#guard.assertInPlace();
  }

  async sync(): Promise<void> {
    await this.#dataSync((this.#descriptor ??= this.#open()));
    // The files may have been deleted since the start of the transaction.
    this.#guard.assertInPlace();
  }

  #open(): number {
    const descriptor = openSync(this.#path, "r+");
    this.#guard.pin(this.#path, { neverShrinks: true });
    return descriptor;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/**
 * Opens the embedded database; creates the tables in an empty one.
 * @throws SealbookError `config_invalid` when the file cannot be opened or is no database
 */
export async function openSqlite(file: string, options?: SqliteOptions): Promise<Database> {
  try {
    return await openDatabase(sqliteDialect(file, options));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SealbookError("config_invalid", `the database ${file} cannot be used: ${reason}`, { cause: error });
  }
}

function inputValue(value: unknown): SQLInputValue {
  if (
    value === null ||
    typeof value === "number" ||
    typeof value === "bigint" ||
    typeof value === "string" ||
    value instanceof Uint8Array
  ) {
    return value;
  }
  throw new TypeError(`a ${typeof value} cannot be bound to an SQL parameter`);
}
