import { closeSync, fdatasync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { type Dialect, SqliteAdapter, SqliteDialect } from "kysely";
import { SealbookError } from "../../errors.ts";
import { type Database, openDatabase } from "./database.ts";
import { durableCommits } from "./durable-commits.ts";

/** Waits until what was written to an open file is on disk. */
export type DataSync = (descriptor: number) => Promise<void>;

/** Statements that are kept for their next use: to prepare one takes longer than to run it. */
const MAX_STATEMENTS = 500;

const NOTHING_DONE = { changes: 0, lastInsertRowid: 0 };

interface Prepared {
  readonly statement: StatementSync;
  /** Whether it gives rows. */
  readonly reader: boolean;
}

/**
 * The embedded engine: one file, write-ahead log, every commit synced to disk before anybody is told of it.
 *
 * @param file Path of the database; its folder is made when missing
 */
export function sqliteDialect(file: string, dataSync: DataSync = promisify(fdatasync)): Dialect {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  // Searches tell upper from lower case. Hashes fall on pages at random: with a larger cache and rarer checkpoints a
  // page is read less often, and written once for several commits. What undoes a statement that fails half-way is kept
  // in memory: as a file it would cost more than the statement. The engine itself syncs what it moves from the log
  // into the database; commits, which are in the log, are synced below.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA busy_timeout = 5000;
    PRAGMA case_sensitive_like = ON;
    PRAGMA cache_size = -24576;
    PRAGMA wal_autocheckpoint = 32000;
    PRAGMA temp_store = MEMORY;
  `);
  const statements = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS });
  const prepared = (text: string): Prepared => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    const made = { statement, reader: statement.columns().length > 0 };
    // Queries are few and always the same; only lists of values make more of them.
    statements.set(text, made);
    return made;
  };
  const log = new LogFile(`${file}-wal`, dataSync);
  const dialect = new EmbeddedDialect({
    database: {
      close() {
        log.close();
        database.close();
      },
      prepare(text) {
        // A transaction that reads first and writes later would be refused at once, without waiting, when another
        // process has written meanwhile; one that takes its turn at the beginning waits for it.
        const { statement, reader } = prepared(text === "begin" ? "begin immediate" : text);
        const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(inputValue);
        return {
          reader,
          all: (parameters) => statement.all(...values(parameters)),
          // A full disk ends a transaction by itself; to end it again would fail, and hide what had happened.
          run: (parameters) =>
            text === "rollback" && !database.isTransaction ? NOTHING_DONE : statement.run(...values(parameters)),
          iterate: (parameters) => statement.iterate(...values(parameters)),
        };
      },
    },
  });
  return durableCommits(dialect, () => log.sync());
}

class EmbeddedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter();
  }
}

/** Migrates in one transaction: whole or not at all, and once when two processes start at the same time. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The write-ahead log, next to the engine: it stays the same file as long as a connection is open. */
class LogFile {
  readonly #path: string;
  readonly #dataSync: DataSync;
  #descriptor: number | undefined;

  constructor(path: string, dataSync: DataSync) {
    this.#path = path;
    this.#dataSync = dataSync;
  }

  sync(): Promise<void> {
    this.#descriptor ??= openSync(this.#path, "r+");
    return this.#dataSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/**
 * Opens the embedded database and brings its schema up to date.
 * @throws SealbookError `config_invalid` when the file cannot be opened or is no database
 */
export async function openSqlite(file: string): Promise<Database> {
  try {
    return await openDatabase(sqliteDialect(file));
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
