import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  RawNode,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";

/** The log of an engine that does not sync its commits. */
export interface CommitLog {
  /** Syncs the log to disk; rejects when its content may be lost. */
  sync(): Promise<void>;
  /** @throws when no commit can become durable */
  assertWritable(): void;
}

/** Takes the end of a write transaction: whether it is on disk, or was rolled back. */
export type TransactionEnd = (isCommitted: boolean) => void;

/**
 * Makes every commit durable without blocking the thread: the engine only writes its log, and a commit returns after
 * the log is synced. Until then nothing reads it over this connection.
 *
 * @param dialect Of an engine with one connection that does not sync its commits
 * @param onEnd Called at the end of each transaction
 */
export function durableCommits(dialect: Dialect, log: CommitLog, onEnd?: TransactionEnd): Dialect {
  return {
    createDriver: () => new DurableDriver(dialect.createDriver(), log, onEnd),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

class DurableDriver implements Driver {
  readonly #inner: Driver;
  readonly #log: CommitLog;
  readonly #onEnd: TransactionEnd | undefined;
  /** The engine's connection, and the same with a sync after each statement that commits by itself. */
  #connections: { readonly bare: DatabaseConnection; readonly synced: DatabaseConnection } | undefined;
  #inTransaction = false;

  constructor(inner: Driver, log: CommitLog, onEnd: TransactionEnd | undefined) {
    this.#inner = inner;
    this.#log = log;
    this.#onEnd = onEnd;
  }

  init(options?: AbortableOperationOptions): Promise<void> {
    return this.#inner.init(options);
  }

  async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    if (this.#connections === undefined) {
      const bare = await this.#inner.acquireConnection(options);
      const synced: DatabaseConnection = {
        executeQuery: (query) => this.#execute(bare, query),
        streamQuery: (query, chunkSize) => bare.streamQuery(query, chunkSize),
      };
      this.#connections = { bare, synced };
    }
    return this.#connections.synced;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#log.assertWritable();
    await this.#inner.beginTransaction(this.#bare(connection), settings);
    this.#inTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#inner.commitTransaction(this.#bare(connection));
    this.#inTransaction = false;
    await this.#log.sync();
    this.#onEnd?.(true);
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#inTransaction = false;
    this.#onEnd?.(false);
    await this.#inner.rollbackTransaction(this.#bare(connection));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection(this.#bare(connection));
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }

  #bare(connection: DatabaseConnection): DatabaseConnection {
    return this.#connections?.bare ?? connection;
  }

  async #execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    const isCommit = !this.#inTransaction && !isRead(query);
    if (isCommit) this.#log.assertWritable();
    const result = await connection.executeQuery<R>(query);
    if (isCommit) await this.#log.sync();
    return result;
  }
}

/** A query as text begins with what it does; only snapshots, which read, begin and end so. */
function isRead({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || (RawNode.is(query) && /^\s*(?:select|begin deferred|commit)\b/i.test(sql));
}
