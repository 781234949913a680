import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "./database.ts";

/** The work of one caller in a commit. */
interface Member {
  run(transaction: Database): Promise<void>;
  /** Resolves or rejects the promise of the caller; `failure` is set when the commit failed as a whole. */
  conclude(failure?: { readonly cause: unknown }): void;
}

/**
 * Group commit: work that arrives during a commit shares the next one, and with it one write to disk. The work of each
 * caller is atomic, and its promise resolves after the commit is on disk.
 */
export class GroupCommit {
  readonly #database: Database;
  #waiting: Member[] = [];
  #running = false;

  constructor(database: Database) {
    this.#database = database;
  }

  run<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let conclude: () => void;
      this.#waiting.push({
        async run(transaction) {
          await sql`savepoint member`.execute(transaction);
          try {
            const result = await work(transaction);
            conclude = () => resolve(result);
          } catch (error) {
            // Rolls back only the changes of this caller.
            await sql`rollback to savepoint member`.execute(transaction).catch(() => {
              // The engine ended the transaction, for instance on a full disk: the whole commit fails.
              throw error;
            });
            conclude = () => reject(error);
          }
          await sql`release savepoint member`.execute(transaction);
        },
        conclude: (failure) => (failure === undefined ? conclude() : reject(failure.cause)),
      });
      if (!this.#running) void this.#commitWaiting();
    });
  }

  async #commitWaiting(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // The embedded database is synchronous: one turn of the event loop lets pending requests join the commit.
      await nextTurn();
      const members = this.#waiting;
      this.#waiting = [];
      try {
        await this.#database.transaction().execute(async (transaction) => {
          for (const member of members) await member.run(transaction);
        });
        for (const member of members) member.conclude();
      } catch (cause) {
        for (const member of members) member.conclude({ cause });
      }
    }
    this.#running = false;
  }
}
