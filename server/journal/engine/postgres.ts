import { Socket } from "node:net";
import { type Dialect, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { SealbookError } from "../../errors.ts";
import { type Database, openDatabase } from "./database.ts";
import type { TransactionEnd } from "./durable-commits.ts";
import { notLeader } from "../leader/not-leader.ts";
import { POSTGRES_TYPES } from "./postgres-types.ts";
import { type LeaderSession, WRITE_LOCK } from "../leader/leader-session.ts";
import type { Schema } from "./schema.ts";
import { serializeWrites } from "./serialized-writes.ts";

const OLDEST_VERSION = 15;
/** Writes are serialized: more connections would only allow more concurrent reads. */
const MAX_CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 10_000;
const KEEP_ALIVE_MILLISECONDS = 10_000;
/**
 * Time without data from the server after which it counts as unavailable; after a power failure of its host there is no
 * other sign.
 */
const SILENCE_MILLISECONDS = 60_000;

/**
 * Begins a transaction in one round trip, independent of the configuration of the server: a commit is on disk before it
 * returns, and each statement sees all earlier commits. A process that halts during a write loses the lock, and a
 * transaction that waits too long for the lock fails, both before the connection is given up.
 */
const BEGIN = `
  begin isolation level read committed read write;
  set local synchronous_commit = on;
  set local idle_in_transaction_session_timeout = '20s';
  set local lock_timeout = '30s';
  select pg_advisory_xact_lock(${WRITE_LOCK})`;

/**
 * PostgreSQL: a pool of connections that are replaced when they break. The current query of a broken connection fails.
 *
 * @param url `postgres://...`
 * @param silenceMilliseconds How long the server may be silent; unlimited by default
 */
export function postgresDialect(url: string, silenceMilliseconds?: number): Dialect {
  const pool = poolOf({ connectionString: url, application_name: "sealbook" }, silenceMilliseconds);
  return serializeWrites(new PostgresDialect({ pool }), (driver) => ({ driver, begin: BEGIN }));
}

/**
 * PostgreSQL with one connection that can only read.
 *
 * @param statementMilliseconds Time after which the server ends a query
 */
export function postgresQueryDialect(url: string, statementMilliseconds: number): Dialect {
  const pool = poolOf(
    {
      connectionString: url,
      application_name: "sealbook queries",
      max: 1,
      options: "-c default_transaction_read_only=on",
      statement_timeout: statementMilliseconds,
    },
    SILENCE_MILLISECONDS,
  );
  return serializeWrites(new PostgresDialect({ pool }), (driver) => ({ driver, begin: "begin read only" }));
}

function poolOf(config: pg.PoolConfig, silenceMilliseconds: number | undefined): pg.Pool {
  const pool = new pg.Pool({
    max: MAX_CONNECTIONS,
    ...config,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    stream: () => socket(silenceMilliseconds),
    types: POSTGRES_TYPES,
  });
  // A broken connection fails its current query; there is nothing to add.
  const ignore = (): void => undefined;
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** A database that several relayers read, and that the leader writes over its session. */
export class SharedPostgres {
  readonly #pool: pg.Pool;
  readonly #onEnd: TransactionEnd;

  /** @param onEnd Called at the end of each write transaction */
  constructor(url: string, onEnd: TransactionEnd) {
    this.#onEnd = onEnd;
    this.#pool = poolOf({ connectionString: url, application_name: "sealbook" }, SILENCE_MILLISECONDS);
  }

  /**
   * Returns the database for a role of the relayer; it has nothing that has to be closed.
   * @param session Returns the session that writes go over; without one they fail with SealbookError `not_leader`
   */
  database(session: () => LeaderSession | undefined): Database {
    const dialect = serializeWrites(new PostgresDialect({ pool: this.#pool }), () => {
      const leading = session();
      if (leading === undefined || leading.lost.aborted) throw notLeader();
      return { ...leading.writer, onEnd: this.#onEnd };
    });
    return new Kysely<Schema>({ dialect });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

function socket(silenceMilliseconds: number | undefined): Socket {
  const made = new Socket();
  if (silenceMilliseconds !== undefined) {
    made.setTimeout(silenceMilliseconds, () =>
      made.destroy(new Error(`no response for ${silenceMilliseconds / 1000} s`)),
    );
  }
  return made;
}

/**
 * Opens the database; creates the tables in an empty one.
 * @throws SealbookError `config_invalid` when it cannot be reached or used; without the address, which holds a password
 */
export async function openPostgres(url: string): Promise<Database> {
  try {
    await assertUsable(url);
    return await openDatabase(postgresDialect(url, SILENCE_MILLISECONDS));
  } catch (error) {
    throw new SealbookError("config_invalid", `DATABASE_URL: the database cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns whether the database has the tables of a journal. */
export async function hasTables(url: string): Promise<boolean> {
  const database = new Kysely<unknown>({ dialect: postgresDialect(url, SILENCE_MILLISECONDS) });
  try {
    const { rows } = await sql<{ found: boolean }>`select to_regclass('entries') is not null as found`.execute(
      database,
    );
    return rows.some(({ found }) => found);
  } finally {
    await database.destroy();
  }
}

async function assertUsable(url: string): Promise<void> {
  const database = new Kysely<unknown>({ dialect: postgresDialect(url, SILENCE_MILLISECONDS) });
  try {
    const { rows } = await sql<{ version: number; encoding: string; standby: boolean }>`
      select current_setting('server_version_num')::integer / 10000 as version,
        current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby`.execute(database);
    for (const { version, encoding, standby } of rows) {
      if (version < OLDEST_VERSION)
        throw new Error(`PostgreSQL ${OLDEST_VERSION} or newer is needed, and this is ${version}`);
      if (encoding !== "UTF8") throw new Error(`its encoding is ${encoding}, and has to be UTF8`);
      if (standby) throw new Error("it is a standby, which cannot be written to");
    }
  } finally {
    await database.destroy();
  }
}

/** Returns the root cause of an error; an error for several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof SealbookError && error.cause !== undefined) return reasonOf(error.cause);
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
