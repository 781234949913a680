import { once } from "node:events";
import { Socket } from "node:net";
import pg from "pg";
import { within } from "../../kit/time.ts";
import { isFenced } from "../engine/postgres-errors.ts";
import { POSTGRES_TYPES } from "../engine/postgres-types.ts";

/** Time after which a statement of a transaction has failed. */
const MOST_STATEMENT_MILLISECONDS = 60_000;

/** One connection, which is not replaced when it ends. */
export class LeaderConnection {
  /** Of this connection alone: who uses it waits for its turn. */
  readonly pool: pg.Pool;
  readonly silenceMilliseconds: number;
  #socket: Socket | undefined;
  readonly #lost = new AbortController();

  private constructor(url: string, silenceMilliseconds: number) {
    this.silenceMilliseconds = silenceMilliseconds;
    this.pool = new pg.Pool({
      connectionString: url,
      application_name: "sealbook leader",
      max: 1,
      idleTimeoutMillis: 0,
      // A rollback of the chain, or a slow disk, needs seconds.
      query_timeout: MOST_STATEMENT_MILLISECONDS,
      stream: () => this.#newSocket(),
      types: POSTGRES_TYPES,
    });
    const lose = (error: Error): void => this.lose(error);
    this.pool.on("error", lose);
    this.pool.on("connect", (client) => {
      client.on("error", lose);
      client.on("end", () => lose(new Error("the session ended")));
    });
  }

  static async open(url: string, silenceMilliseconds: number): Promise<LeaderConnection> {
    const connection = new LeaderConnection(url, silenceMilliseconds);
    try {
      const expired = (): Error => new Error(`the database does not respond for ${silenceMilliseconds / 1000} s`);
      const setUp = connection.query(`
        set idle_session_timeout = ${silenceMilliseconds};
        set idle_in_transaction_session_timeout = ${silenceMilliseconds};
        set tcp_user_timeout = ${silenceMilliseconds};
        set statement_timeout = 0;
        set lock_timeout = ${silenceMilliseconds};
        set synchronous_commit = on`);
      await within(silenceMilliseconds, setUp, expired);
      return connection;
    } catch (error) {
      connection.lose(error);
      throw error;
    }
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async query(text: string, parameters?: unknown[]): Promise<pg.QueryResult<Record<string, unknown>>> {
    this.lost.throwIfAborted();
    try {
      return await this.pool.query(text, parameters);
    } catch (error) {
      // The pool has closed the connection, whatever the error was.
      this.lose(error);
      throw error;
    }
  }

  /** Fails when there is no response for as long as the session may be silent. */
  async ping(): Promise<void> {
    // The types of the driver lack the option.
    const query: pg.QueryConfig & { query_timeout: number } = {
      text: "select 1",
      query_timeout: this.silenceMilliseconds,
    };
    await this.pool.query(query).catch((error: unknown) => this.failed(error));
  }

  /**
   * Ends the connection after an error that says that another relayer has led, or that there was no response. One that
   * ends by itself says so.
   */
  failed(error: unknown): void {
    if (isFenced(error) || isTimeout(error)) this.lose(error);
  }

  /** A second connection gets a socket that is closed: only one has the lock. */
  #newSocket(): Socket {
    const socket = new Socket();
    if (this.#socket === undefined) this.#socket = socket;
    else socket.once("connect", () => socket.destroy());
    return socket;
  }

  /** Cuts the connection: its transaction is rolled back, and its lock is free. */
  lose(error: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(error);
    this.#socket?.destroy();
    void this.pool.end().catch(() => undefined);
  }

  async end(): Promise<void> {
    // What is under way ends first; then the lock is free.
    const unlocked = this.query("select pg_advisory_unlock_all()").catch(() => undefined);
    if (!this.lost.aborted) await Promise.race([unlocked, once(this.lost, "abort")]);
    this.lose(new Error("the session was ended"));
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}
