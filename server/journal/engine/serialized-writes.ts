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
import type { TransactionEnd } from "./durable-commits.ts";
import { commitError, translateError } from "./postgres-errors.ts";
import { toParameter } from "./postgres-types.ts";

/** Where write transactions run, and how. */
export interface Writer {
  readonly driver: Driver;
  /**
   * Statements that begin a transaction and acquire the write lock, which the end of the transaction releases; they
   * fail when this process must not write any more.
   */
  readonly begin: string;
  /** Waits for the turn of a transaction, which ends when the result is called; where transactions share a session. */
  turn?(): Promise<() => void>;
  /** Called with each error of a statement. */
  failed?(error: unknown): void;
  /** Called at the end of each transaction. */
  readonly onEnd?: TransactionEnd | undefined;
}

/**
 * Serializes write transactions, as an engine with a single writer does: the rows that a transaction reads do not
 * change until it ends. A write outside of a transaction gets its own; reads outside of one do not wait.
 *
 * @param dialect PostgreSQL's, for reads
 * @param writerOf Returns where to write, given the driver of reads; throws when this process must not write
 */
export function serializeWrites(dialect: Dialect, writerOf: (reads: Driver) => Writer): Dialect {
  return {
    createDriver: () => new SerializingDriver(dialect.createDriver(), writerOf),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

class SerializingDriver implements Driver {
  readonly #reads: Driver;
  readonly #writerOf: (reads: Driver) => Writer;

  constructor(reads: Driver, writerOf: (reads: Driver) => Writer) {
    this.#reads = reads;
    this.#writerOf = writerOf;
  }

  init(options?: AbortableOperationOptions): Promise<void> {
    return this.#reads.init(options);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SerializingConnection(this.#reads, () => this.#writerOf(this.#reads));
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
    return serializing(connection).release();
  }

  destroy(): Promise<void> {
    return this.#reads.destroy();
  }
}

function serializing(connection: DatabaseConnection): SerializingConnection {
  if (connection instanceof SerializingConnection) return connection;
  throw new TypeError("the connection is of another driver");
}

/** Takes a connection of the one or the other driver when a statement needs it. */
class SerializingConnection implements DatabaseConnection {
  readonly #reads: Driver;
  readonly #writer: () => Writer;
  #reading: DatabaseConnection | undefined;
  #transaction:
    | { readonly writer: Writer; readonly connection: DatabaseConnection; readonly endTurn: (() => void) | undefined }
    | undefined;

  constructor(reads: Driver, writer: () => Writer) {
    this.#reads = reads;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    const writer = this.#writer();
    const endTurn = await writer.turn?.();
    try {
      const connection = await translated(writer.driver.acquireConnection(), writer);
      this.#transaction = { writer, connection, endTurn };
    } catch (error) {
      endTurn?.();
      throw error;
    }
    try {
      const { connection } = this.#transaction;
      await translated(connection.executeQuery(CompiledQuery.raw(writer.begin)), writer);
    } catch (error) {
      // The transaction may have begun without the lock.
      await this.rollback();
      throw error;
    }
  }

  async commit(): Promise<void> {
    const { writer, connection } = this.#begun();
    await translated(writer.driver.commitTransaction(connection), writer).catch((error: unknown) => {
      throw commitError(error);
    });
    writer.onEnd?.(true);
    await this.#end();
  }

  async rollback(): Promise<void> {
    const { writer, connection } = this.#begun();
    writer.onEnd?.(false);
    // What comes before a rollback is the error to report; a connection whose rollback fails is discarded.
    await translated(writer.driver.rollbackTransaction(connection), writer).catch(() => undefined);
    await this.#end();
  }

  async release(): Promise<void> {
    // A commit that failed left its transaction.
    await this.#end();
    if (this.#reading !== undefined) await this.#reads.releaseConnection(this.#reading);
    this.#reading = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const adapted = { ...query, parameters: query.parameters.map(toParameter) };
    if (this.#transaction !== undefined) {
      const { writer, connection } = this.#transaction;
      return translated(connection.executeQuery<R>(adapted), writer);
    }
    if (!isWrite(query)) {
      this.#reading ??= await translated(this.#reads.acquireConnection());
      return translated(this.#reading.executeQuery<R>(adapted));
    }
    await this.begin();
    try {
      const result = await this.executeQuery<R>(query);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    this.#reading ??= await translated(this.#reads.acquireConnection());
    yield* this.#reading.streamQuery<R>(query, chunkSize);
  }

  #begun() {
    if (this.#transaction === undefined) throw new TypeError("there is no transaction");
    return this.#transaction;
  }

  async #end(): Promise<void> {
    if (this.#transaction === undefined) return;
    const { writer, connection, endTurn } = this.#transaction;
    this.#transaction = undefined;
    await writer.driver.releaseConnection(connection);
    endTurn?.();
  }
}

/** Translates errors of a driver. */
function translated<T>(done: Promise<T>, writer?: Writer): Promise<T> {
  return done.catch((error: unknown) => {
    writer?.failed?.(error);
    throw translateError(error);
  });
}

function isWrite({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
}
