import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { commitError } from "../../server/journal/engine/postgres-errors.ts";
import { SealbookError } from "../../server/errors.ts";
import { notLeader } from "../../server/journal/leader/not-leader.ts";
import type { Life, Pace } from "./life.ts";

const IS_WRITE = /^(insert|update|delete)/;
/** As on PostgreSQL: an embedded database has no leader. */
export const LEADER_TABLE =
  "create table leader (id integer primary key, epoch integer not null, holder text not null)";
const NEXT_EPOCH = `insert into leader (id, epoch, holder) values (1, 1, 'model')
  on conflict (id) do update set epoch = leader.epoch + 1 returning epoch`;

/**
 * The session that a process leads with, as PostgreSQL has it: the database can end it, which undoes its transaction; a
 * write fails when another process has led since; the response to a statement can get lost. Reads need no session.
 */
export class Session {
  readonly #life: Life;
  readonly #pace: Pace;
  readonly #driver: Driver;
  readonly #onLost: () => void;
  #connection: DatabaseConnection | undefined;
  #epoch: number | undefined;
  #isLost = false;
  /** The connection with a transaction. */
  #writing: DatabaseConnection | undefined;
  /** Set while nothing passes between process and database. */
  #cut: PromiseWithResolvers<void> | undefined;
  #losesCommit = false;

  /** @param onLost Called when it is lost, after its transaction is undone */
  constructor(life: Life, pace: Pace, driver: Driver, onLost: () => void) {
    this.#life = life;
    this.#pace = pace;
    this.#driver = driver;
    this.#onLost = onLost;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Begins the leadership, before anything else is read. */
  async lead(connection: DatabaseConnection): Promise<void> {
    if (this.#epoch !== undefined) return;
    this.#connection = connection;
    const { rows } = await connection.executeQuery<{ epoch: number }>(CompiledQuery.raw(NEXT_EPOCH));
    this.#epoch = rows[0]?.epoch;
  }

  cut(): void {
    this.#cut ??= Promise.withResolvers<void>();
  }

  mend(): void {
    this.#cut?.resolve();
    this.#cut = undefined;
  }

  /** Has the response to the next commit get lost, and the session with it. */
  loseCommit(): void {
    this.#losesCommit = true;
  }

  /** Ends it: its transaction is undone. */
  async lose(): Promise<void> {
    if (this.#isLost) return;
    this.#isLost = true;
    if (this.#writing !== undefined) await this.#driver.rollbackTransaction(this.#writing);
    this.mend();
    this.#onLost();
  }

  async begin(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (this.#isLost) throw notLeader();
    await this.#driver.beginTransaction(connection, settings);
    this.#writing = connection;
    await this.#assertLeads();
  }

  async commit(connection: DatabaseConnection): Promise<void> {
    const isMade = this.#pace.random() < 0.5;
    if (!isMade) await this.#passes();
    if (this.#losesCommit && !isMade) await this.lose();
    if (this.#isLost) throw unknownCommit();
    await this.#driver.commitTransaction(connection);
    await this.#passes();
    if (this.#losesCommit) await this.lose();
    if (this.#lostNow()) throw unknownCommit();
    this.#writing = undefined;
  }

  async rollback(connection: DatabaseConnection): Promise<void> {
    // The database has done it.
    if (!this.#isLost) await this.#driver.rollbackTransaction(connection);
    this.#writing = undefined;
  }

  async execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    // The response can get lost, or the statement itself.
    const isExecuted = this.#pace.random() < 0.5;
    if (!isExecuted) await this.#passes();
    const isOfTransaction = this.#writing !== undefined;
    const isCommit = !isOfTransaction && IS_WRITE.test(query.sql);
    if ((isOfTransaction || isCommit) && this.#isLost) throw notLeader();
    if (isCommit) await this.#assertLeads();
    const result = await connection.executeQuery<R>(query);
    await this.#passes();
    if (isOfTransaction && this.#lostNow()) throw notLeader();
    if (isCommit && this.#lostNow()) throw unknownCommit();
    return result;
  }

  /** It belongs to the statement that begins the transaction. */
  async #assertLeads(): Promise<void> {
    if (this.#isLost) throw notLeader();
    const query = CompiledQuery.raw("select epoch from leader");
    const found = await this.#connection?.executeQuery<{ epoch: number }>(query);
    if (found?.rows[0]?.epoch === this.#epoch) return;
    await this.lose();
    throw notLeader();
  }

  async #passes(): Promise<void> {
    while (this.#cut !== undefined && !this.#life.ended) await this.#cut.promise;
  }

  /** The same as {@link isLost}, which can have changed while something was awaited. */
  #lostNow(): boolean {
    return this.#isLost;
  }
}

function unknownCommit(): unknown {
  return commitError(new SealbookError("journal_unavailable", "the session was lost"));
}
