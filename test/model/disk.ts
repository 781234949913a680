import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { sqliteDialect } from "../../server/journal/engine/sqlite.ts";
import type { Life, Pace } from "./life.ts";
import { Session } from "./session.ts";

/**
 * The disk with the one database of a run. Every statement is a step of its process's life, and the process can be
 * killed after each step. Its connection is closed then; unless other processes use the database, a copy of the files
 * as they were at that moment takes their place.
 */
export class Disk {
  readonly #directory: string;
  #copies = 0;
  #reader: DatabaseSync | undefined;
  #file: string;
  /** Connections in use, each with what ends it. */
  readonly #connected = new Map<Life, () => void>();
  /** Statements yet that fail, as on a full disk. */
  #failures = 0;
  /** SQLite holds up the whole thread while another process writes: in one thread for ever. */
  #turn: Promise<void> = Promise.resolve();

  constructor(directory: string, template: string) {
    this.#directory = directory;
    this.#file = this.#newFile();
    copyFileSync(template, this.#file);
  }

  fail(statements: number): void {
    this.#failures = statements;
  }

  /**
   * The database for a process that leads.
   * @param onLost Called when its session is lost
   */
  connect(life: Life, pace: Pace, onLost: () => void): { readonly dialect: Dialect; readonly session: Session } {
    // A real disk takes its own time, whatever the run's clock says; a process that is killed loses nothing by that.
    const inner = sqliteDialect(this.#file, { dataSync: () => life.step() });
    const driver = inner.createDriver();
    let release: (() => void) | undefined;
    const end = (): void => {
      // The last connection that is closed tidies up, which ours must not prevent.
      this.close();
      this.#connected.delete(life);
      release?.();
      void driver.destroy();
    };
    const session = new Session(life, pace, driver, () => {
      release?.();
      onLost();
    });
    const acquire = async (): Promise<void> => {
      // It only reads, which holds up nobody.
      if (session.isLost) return;
      const before = this.#turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#turn = before.then(() => promise);
      await before;
      if (life.ended) {
        resolve();
        return new Promise(() => undefined);
      }
      release = resolve;
    };
    const mayFail = (): void => this.#mayFail();
    this.#connected.set(life, end);
    const watched: Driver = {
      init: (options) => driver.init(options),
      async acquireConnection(options) {
        await acquire();
        const connection = await driver.acquireConnection(options);
        await session.lead(connection);
        return watchedConnection(connection, life, session, mayFail);
      },
      beginTransaction: (connection, settings) => session.begin(connection, settings),
      commitTransaction: (connection) => session.commit(connection),
      rollbackTransaction: (connection) => session.rollback(connection),
      async releaseConnection() {
        release?.();
        release = undefined;
      },
      async destroy() {
        if (!life.ended) end();
      },
    };
    const dialect: Dialect = {
      createDriver: () => watched,
      createAdapter: () => inner.createAdapter(),
      createIntrospector: (database) => inner.createIntrospector(database),
      createQueryCompiler: () => inner.createQueryCompiler(),
    };
    return { dialect, session };
  }

  /** To be called when a process is killed, before anything else happens. */
  killed(life: Life): void {
    const end = this.#connected.get(life);
    if (end === undefined) return;
    // A connection that is closed writes the log into the database; one that is killed does not.
    if (this.#connected.size === 1) this.#file = this.#copy();
    end();
  }

  /** Queries committed data: the state that a process finds after a crash at this moment. */
  query<T>(work: (database: DatabaseSync) => T): T {
    this.#reader ??= new DatabaseSync(this.#file);
    return work(this.#reader);
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  #mayFail(): void {
    if (this.#failures === 0) return;
    this.#failures -= 1;
    throw new Error("database or disk is full");
  }

  #copy(): string {
    this.close();
    const copy = this.#newFile();
    for (const suffix of ["", "-wal"]) {
      if (existsSync(this.#file + suffix)) copyFileSync(this.#file + suffix, copy + suffix);
    }
    return copy;
  }

  #newFile(): string {
    const folder = join(this.#directory, String((this.#copies += 1)));
    mkdirSync(folder);
    return join(folder, "sealbook.sqlite");
  }
}

function watchedConnection(
  connection: DatabaseConnection,
  life: Life,
  session: Session,
  mayFail: () => void,
): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      await life.step();
      // What undoes does not fail: the engine has undone it already when it fails to.
      if (!query.sql.startsWith("rollback")) mayFail();
      const result = await session.execute<R>(connection, query);
      await life.step();
      return result;
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}
