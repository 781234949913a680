import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Somebody's piece of a commit. */
interface Member {
  run(transaction: Database): Promise<void>;
  /** Tells the caller what became of it; `failure` is set when nothing of the commit came to disk. */
  tell(failure?: { readonly cause: unknown }): void;
}

/**
 * Lets many callers share one write to disk: what arrives while a commit is under way goes into the next one
 * together. Each caller's work is whole or not at all, and nobody is told before the commit is on disk.
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
            // Only this caller's changes are undone; the others' go on.
            await sql`rollback to savepoint member`.execute(transaction).catch(() => {
              // There is no transaction any more, as on a full disk: the failure is everybody's.
              throw error;
            });
            conclude = () => reject(error);
          }
          await sql`release savepoint member`.execute(transaction);
        },
        tell: (failure) => (failure === undefined ? conclude() : reject(failure.cause)),
      });
      if (!this.#running) void this.#commitWaiting();
    });
  }

  async #commitWaiting(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // An embedded database answers without letting go of the thread: only a turn of the event loop lets those in
      // whose requests have arrived meanwhile.
      await nextTurn();
      const members = this.#waiting;
      this.#waiting = [];
      try {
        await this.#database.transaction().execute(async (transaction) => {
          for (const member of members) await member.run(transaction);
        });
        for (const member of members) member.tell();
      } catch (cause) {
        for (const member of members) member.tell({ cause });
      }
    }
    this.#running = false;
  }
}
