import { PostgresDialect } from "kysely";
import { every, type Interval } from "../../kit/time.ts";
import { translateError } from "../engine/postgres-errors.ts";
import type { Writer } from "../engine/serialized-writes.ts";
import type { LeaderConnection } from "./leader-connection.ts";
import { Turns } from "./turns.ts";

/** The advisory lock of a write transaction: a number that nothing else on the database locks. */
export const WRITE_LOCK = 7_325_000_001;

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
  readonly #connection: LeaderConnection;
  readonly #keepAlive: Interval;
  readonly #turns = new Turns();

  constructor(connection: LeaderConnection, epoch: number) {
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
export const BEGIN = `begin isolation level read committed read write; select pg_advisory_xact_lock(${WRITE_LOCK})`;

/** Begins a transaction of a leader: with a division by zero when another one has led since. */
function beginOf(epoch: number): string {
  return `${BEGIN}; select 1 / count(*) from leader where epoch = ${epoch}`;
}
