import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError } from "../../errors.ts";
import { translateError } from "../engine/postgres-errors.ts";
import { LeaderConnection } from "./leader-connection.ts";
import { BEGIN, LeaderSession } from "./leader-session.ts";
import { SILENCE_MILLISECONDS } from "./silence.ts";

/** The advisory lock of the leader: a number that nothing else on the database locks. */
const LEADER_LOCK = 7_325_000_002;
/** Interval of attempts to get the lock. An attempt that waited in the database would outlive its process. */
const ATTEMPT_MILLISECONDS = 200;
/** Pause before another connection after one that failed. */
const RECONNECT_MILLISECONDS = 1_000;
/** A pooler that assigns a session to each transaction gives one of these statements another one. */
const DIRECTNESS_CHECKS = 5;

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
    const connection = await LeaderConnection.open(this.#url, this.#silenceMilliseconds);
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
      let connection: LeaderConnection | undefined;
      try {
        connection = await LeaderConnection.open(this.#url, this.#silenceMilliseconds);
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

  async #try(connection: LeaderConnection): Promise<LeaderSession | undefined> {
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
async function assertDirect(connection: LeaderConnection): Promise<void> {
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
