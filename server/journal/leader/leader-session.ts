import { once } from "node:events";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresDialect } from "kysely";
import pg from "pg";
import { SealbookError } from "../../errors.ts";
import { every, type Interval, within } from "../../kit/time.ts";
import { isFenced, translateError } from "../engine/postgres-errors.ts";
import { POSTGRES_TYPES } from "../engine/postgres-types.ts";
import type { Writer } from "../engine/serialized-writes.ts";
import { Turns } from "./turns.ts";

/** The advisory locks of a write transaction and of the leader: numbers that nothing else on the database locks. */
export const WRITE_LOCK = 7_325_000_001;
const LEADER_LOCK = 7_325_000_002;
/**
 * Time without a statement, or without a response, after which the session of a leader ends. Longer than any pause of a
 * process that works.
 */
export const SILENCE_MILLISECONDS = 10_000;
/** Interval of attempts to get the lock. An attempt that waited in the database would outlive its process. */
const ATTEMPT_MILLISECONDS = 200;
/** Pause before another connection after one that failed. */
const RECONNECT_MILLISECONDS = 1_000;
/** A pooler that assigns a session to each transaction gives one of these statements another one. */
const DIRECTNESS_CHECKS = 5;
/** Time after which a statement of a transaction has failed. */
const MOST_STATEMENT_MILLISECONDS = 60_000;

/**
 * The one session of a PostgreSQL database that writes the journal. It holds a lock for as long as it exists, so that
 * the lock is free as soon as no further write of it can arrive. A session that is lost is not replaced: the relayer
 * reads everything again when it leads the next time.
 */
export class LeaderSession {
  /** Number of this leadership: each one has a higher one than those before. */
  readonly epoch: number;
  /** Where write transactions run; each fails when another relayer has led since. */
  readonly writer: Writer;
  readonly #connection: Connection;
  readonly #keepAlive: Interval;
  readonly #turns = new Turns();

  constructor(connection: Connection, epoch: number) {
    this.#connection = connection;
    this.epoch = epoch;
    const driver = new PostgresDialect({ pool: connection.pool }).createDriver();
    void driver.init();
    this.writer = {
      driver,
      begin: beginOf(epoch),
      turn: () => this.#turns.take(),
      failed: (error) => connection.failed(error),
    };
    this.#keepAlive = every(connection.silenceMilliseconds / 3, () => this.#ping());
    this.lost.addEventListener("abort", () => {
      this.#turns.fail(this.failure);
      void this.#keepAlive.stop();
    });
  }

  /** Aborted when the session is lost or ended; the reason is its error. */
  get lost(): AbortSignal {
    return this.#connection.lost;
  }

  /** The error of what begins after the session was lost: SealbookError `not_leader`, or `journal_unavailable`. */
  get failure(): unknown {
    return translateError(this.lost.reason);
  }

  /** Ends the session, and with it the leadership. */
  async end(): Promise<void> {
    await this.#keepAlive.stop();
    await this.#connection.end();
  }

  /** The statements of a transaction keep the session alive as well. */
  async #ping(): Promise<void> {
    if (this.lost.aborted || this.#turns.isTaken) return;
    const endTurn = await this.#turns.take();
    await this.#connection.ping().catch(() => undefined);
    endTurn();
  }
}

/** Begins a transaction. */
const BEGIN = `begin isolation level read committed read write; select pg_advisory_xact_lock(${WRITE_LOCK})`;

/** Begins a transaction of a leader: with a division by zero when another one has led since. */
function beginOf(epoch: number): string {
  return `${BEGIN}; select 1 / count(*) from leader where epoch = ${epoch}`;
}

export interface CandidateOptions {
  /** Name of this relayer, for people who look into the database. */
  readonly holder: string;
  readonly silenceMilliseconds?: number | undefined;
  /** Called when the database cannot be asked who leads, once until it can. */
  readonly onFailure?: (error: unknown) => void;
}

/** Waits for the leadership on a database. */
export class Candidate {
  readonly #url: string;
  readonly #holder: string;
  readonly #silenceMilliseconds: number;
  readonly #onFailure: (error: unknown) => void;
  /** Why the database cannot be asked who leads; `undefined` when it can. */
  failure: unknown;

  constructor(
    url: string,
    { holder, silenceMilliseconds = SILENCE_MILLISECONDS, onFailure = () => undefined }: CandidateOptions,
  ) {
    this.#onFailure = onFailure;
    this.#url = url;
    this.#holder = holder;
    this.#silenceMilliseconds = silenceMilliseconds;
  }

  /**
   * Tries once to lead.
   * @returns `undefined` when another relayer leads
   * @throws SealbookError `config_invalid` behind a pooler that does not keep the session of a client
   */
  async attempt(): Promise<LeaderSession | undefined> {
    const connection = await Connection.open(this.#url, this.#silenceMilliseconds);
    try {
      const session = await this.#try(connection);
      if (session === undefined) await connection.end();
      return session;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /** Waits until no other relayer leads; returns `undefined` after `stop`. */
  async wait(stop: AbortSignal): Promise<LeaderSession | undefined> {
    while (!stop.aborted) {
      let connection: Connection | undefined;
      try {
        connection = await Connection.open(this.#url, this.#silenceMilliseconds);
        this.failure = undefined;
        while (!stop.aborted) {
          const session = await this.#try(connection);
          if (session !== undefined) return session;
          await pause(ATTEMPT_MILLISECONDS, stop);
        }
        await connection.end();
      } catch (error) {
        // A pooler would keep the lock.
        await connection?.end();
        if (this.failure === undefined) this.#onFailure(error);
        this.failure = translateError(error);
        await pause(RECONNECT_MILLISECONDS, stop);
      }
    }
    return undefined;
  }

  async #try(connection: Connection): Promise<LeaderSession | undefined> {
    const { rows } = await connection.query(`select pg_try_advisory_lock(${LEADER_LOCK}) as locked`);
    if (rows[0]?.["locked"] !== true) return undefined;
    await assertDirect(connection);
    // After every transaction of the leader before, and before every later one.
    await connection.query(BEGIN);
    const begun = await connection.query(
      `insert into leader (id, epoch, holder) values (1, 1, $1)
        on conflict (id) do update set epoch = leader.epoch + 1, holder = excluded.holder returning epoch`,
      [this.#holder],
    );
    await connection.query("commit");
    return new LeaderSession(connection, Number(begun.rows[0]?.["epoch"]));
  }
}

/**
 * Checks that each statement runs in the session that has the lock.
 * @throws SealbookError `config_invalid`
 */
async function assertDirect(connection: Connection): Promise<void> {
  for (let check = 0; check < DIRECTNESS_CHECKS; check += 1) {
    const { rows } = await connection.query(
      `select count(*)::integer as held from pg_locks where locktype = 'advisory' and granted
        and pid = pg_backend_pid() and classid::bigint << 32 | objid::bigint = ${LEADER_LOCK}`,
    );
    if (rows[0]?.["held"] === 1) continue;
    throw new SealbookError(
      "config_invalid",
      "DATABASE_URL: statements run in several sessions of the database, as behind a pooler in transaction mode: " +
        "connect to PostgreSQL itself, or use the pooler in session mode",
    );
  }
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** One connection, which is not replaced when it ends. */
class Connection {
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

  static async open(url: string, silenceMilliseconds: number): Promise<Connection> {
    const connection = new Connection(url, silenceMilliseconds);
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
