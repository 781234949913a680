import { yieldToEventLoop } from "../../kit/event-loop.ts";
import { sql } from "kysely";
import type { CommitSigner } from "../../chain/transactions/commit-signer.ts";
import type { JournalMemory } from "../integrity/memory.ts";
import type { Database } from "./database.ts";

/**
 * Time after which no further work joins a commit. The embedded database is synchronous: nothing else is done
 * meanwhile.
 */
const LONGEST_MILLISECONDS = 20;

/** The work of one caller in a commit. */
interface Member {
  /**
   * @param isFirst Whether nothing else is in the transaction yet
   * @throws Undone when the work has failed and was the first
   */
  run(transaction: Database, isFirst: boolean): Promise<void>;
  /** Resolves or rejects the promise of the caller; `failure` is set when the commit failed as a whole. */
  conclude(failure?: { readonly cause: unknown }): void;
}

/** Ends a transaction in which there is nothing: its only work has failed. */
class Undone extends Error {}

/**
 * Group commit: work that arrives during a commit shares the next one, and with it one write to disk. The work of each
 * caller is atomic, and its promise resolves after the commit is on disk.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #memory: JournalMemory | undefined;
  readonly #signer: CommitSigner | undefined;
  readonly #waiting: Member[] = [];
  #running = false;

  /**
   * @param memory Is told what the work of a caller has undone
   * @param signer Is told so as well, and how a commit has ended
   */
  constructor(database: Database, memory?: JournalMemory, signer?: CommitSigner) {
    this.#database = database;
    this.#memory = memory;
    this.#signer = signer;
  }

  run<T>(work: (transaction: Database) => Promise<T>): Promise<T> {
    const memory = this.#memory;
    const signer = this.#signer;
    return new Promise<T>((resolve, reject) => {
      let conclude: () => void;
      this.#waiting.push({
        async run(transaction, isFirst) {
          if (!isFirst) await sql`savepoint member`.execute(transaction);
          const before = memory?.written;
          const mark = signer?.mark();
          try {
            const result = await work(transaction);
            conclude = () => resolve(result);
          } catch (error) {
            // Rolls back only the changes of this caller.
            memory?.wrote(before);
            if (mark !== undefined) signer?.takeBack(mark);
            conclude = () => reject(error);
            if (isFirst) throw new Undone();
            await sql`rollback to savepoint member`.execute(transaction).catch(() => {
              // The engine ended the transaction, for instance on a full disk: the whole commit fails.
              throw error;
            });
          }
          if (!isFirst) await sql`release savepoint member`.execute(transaction);
        },
        conclude: (failure) => (failure === undefined ? conclude() : reject(failure.cause)),
      });
      if (!this.#running) void this.#commitWaiting();
    });
  }

  async #commitWaiting(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // One turn of the event loop lets pending requests join the commit.
      await yieldToEventLoop();
      const end = performance.now() + LONGEST_MILLISECONDS;
      const members: Member[] = [];
      try {
        await this.#database.transaction().execute(async (transaction) => {
          do {
            const member = this.#waiting.shift();
            if (member === undefined) break;
            members.push(member);
            await member.run(transaction, members.length === 1);
          } while (performance.now() < end);
        });
      } catch (cause) {
        this.#signer?.ended(false);
        if (cause instanceof Undone) {
          members[0]?.conclude();
          continue;
        }
        // A commit that cannot even begin fails for all.
        const failed = members.length > 0 ? members : this.#waiting.splice(0);
        for (const member of failed) member.conclude({ cause });
        continue;
      }
      this.#signer?.ended(true);
      for (const member of members) member.conclude();
    }
    this.#running = false;
  }
}
