import {
  type AbortableOperationOptions,
  CompiledQuery,
  type DatabaseConnection,
  DeleteQueryNode,
  type Dialect,
  type Driver,
  InsertQueryNode,
  type QueryResult,
  type TransactionSettings,
  UpdateQueryNode,
} from "kysely";
import { translateError } from "./postgres-errors.ts";
import { toParameter } from "./postgres-types.ts";

/**
 * Serializes write transactions, as an engine with a single writer does: the rows that a transaction reads do not
 * change until it ends. A write outside of a transaction gets its own; reads outside of one do not wait.
 *
 * @param dialect PostgreSQL's
 * @param begin Statements that begin a transaction and acquire the write lock, which the end of the transaction
 * releases
 */
export function serializeWrites(dialect: Dialect, begin: string): Dialect {
  return {
    createDriver: () => new SerializingDriver(dialect.createDriver(), begin),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

class SerializingDriver implements Driver {
  readonly #inner: Driver;
  readonly #begin: string;

  constructor(inner: Driver, begin: string) {
    this.#inner = inner;
    this.#begin = begin;
  }

  init(options?: AbortableOperationOptions): Promise<void> {
    return this.#inner.init(options);
  }

  async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    const connection = await translated(this.#inner.acquireConnection(options));
    return new SerializingConnection(connection, this.#inner, this.#begin);
  }

  beginTransaction(connection: DatabaseConnection, _settings: TransactionSettings): Promise<void> {
    return serializing(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return serializing(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return serializing(connection).rollback();
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection(serializing(connection).bare);
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

function serializing(connection: DatabaseConnection): SerializingConnection {
  if (connection instanceof SerializingConnection) return connection;
  throw new TypeError("the connection is of another driver");
}

class SerializingConnection implements DatabaseConnection {
  readonly bare: DatabaseConnection;
  readonly #driver: Driver;
  readonly #begin: string;
  #inTransaction = false;

  constructor(bare: DatabaseConnection, driver: Driver, begin: string) {
    this.bare = bare;
    this.#driver = driver;
    this.#begin = begin;
  }

  async begin(): Promise<void> {
    this.#inTransaction = true;
    try {
      await translated(this.bare.executeQuery(CompiledQuery.raw(this.#begin)));
    } catch (error) {
      // The transaction may have begun without the lock. A connection whose rollback fails is discarded.
      await this.rollback().catch(() => undefined);
      throw error;
    }
  }

  async commit(): Promise<void> {
    await translated(this.#driver.commitTransaction(this.bare));
    this.#inTransaction = false;
  }

  async rollback(): Promise<void> {
    this.#inTransaction = false;
    await this.#driver.rollbackTransaction(this.bare);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const adapted = { ...query, parameters: query.parameters.map(toParameter) };
    if (this.#inTransaction || !isWrite(query)) return translated(this.bare.executeQuery<R>(adapted));
    await this.begin();
    try {
      const result = await translated(this.bare.executeQuery<R>(adapted));
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback().catch(() => undefined);
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.bare.streamQuery<R>(query, chunkSize);
  }
}

/** Translates errors of the driver. */
function translated<T>(done: Promise<T>): Promise<T> {
  return done.catch((error: unknown) => {
    throw translateError(error);
  });
}

function isWrite({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
}
