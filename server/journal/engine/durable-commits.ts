import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";

/**
 * Makes every commit durable without blocking the thread: the engine only writes its log, and a commit returns after
 * the log is synced. Until then nothing reads it over this connection.
 *
 * @param dialect Of an engine with one connection that does not sync its commits
 * @param sync Syncs the log of the engine to disk
 */
export function durableCommits(dialect: Dialect, sync: () => Promise<void>): Dialect {
  return {
    createDriver: () => new DurableDriver(dialect.createDriver(), sync),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

class DurableDriver implements Driver {
  readonly #inner: Driver;
  readonly #sync: () => Promise<void>;
  /** The engine's connection, and the same with a sync after each statement that commits by itself. */
  #connections: { readonly bare: DatabaseConnection; readonly synced: DatabaseConnection } | undefined;
  #inTransaction = false;

  constructor(inner: Driver, sync: () => Promise<void>) {
    this.#inner = inner;
    this.#sync = sync;
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
    await this.#inner.beginTransaction(this.#bare(connection), settings);
    this.#inTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#inner.commitTransaction(this.#bare(connection));
    this.#inTransaction = false;
    await this.#sync();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#inTransaction = false;
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
    const result = await connection.executeQuery<R>(query);
    if (!this.#inTransaction && !SelectQueryNode.is(query.query)) await this.#sync();
    return result;
  }
}
