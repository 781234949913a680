import type { Address } from "../chain/transaction.ts";
import { type Failures, type FailureStore, forgottenAt } from "./failed-logins.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";

/** Maximum number of keys with failures; above it those that are forgotten first are deleted. */
const MAX_KEYS = 50_000;
/** Sources remembered for one login: the newest. */
const MAX_SOURCES = 20;
/** Failures between two deletions of what is forgotten. */
const DELETION_INTERVAL = 256;

/** Options of a {@link loginFailureStore}. */
export interface LoginFailureStoreOptions {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly maxKeys?: number;
}

/** Stores failed logins by login and by source, for all relayers on the database. */
export function loginFailureStore(
  database: Database,
  { clock, maxKeys = MAX_KEYS }: LoginFailureStoreOptions,
): FailureStore {
  let changes = 0;

  const find = async (on: Database, key: string): Promise<Failures | undefined> => {
    const row = await on.selectFrom("login_failures").selectAll().where("key", "=", key).executeTakeFirst();
    return (
      row && {
        count: row.count,
        windowEnds: row.window_ends_at,
        lockOuts: row.lock_outs,
        lockedUntil: row.locked_until,
      }
    );
  };

  const deleteForgotten = async (on: Database): Promise<void> => {
    await on.deleteFrom("login_failures").where("forgotten_at", "<=", clock()).execute();
    await on
      .deleteFrom("login_failures")
      .where("forgotten_at", "<=", (e) =>
        e
          .selectFrom("login_failures")
          .select("forgotten_at")
          .orderBy("forgotten_at", "desc")
          .orderBy("key")
          .limit(1)
          .offset(maxKeys),
      )
      .execute();
  };

  return {
    find: (key) => find(database, key),

    change: (key, change) =>
      inTransaction(database, async (transaction) => {
        // Write transactions are serialized: nothing changes between reading and writing.
        const failures = change(await find(transaction, key));
        const row = {
          count: failures.count,
          window_ends_at: failures.windowEnds,
          lock_outs: failures.lockOuts,
          locked_until: failures.lockedUntil,
          forgotten_at: forgottenAt(failures),
        };
        await transaction
          .insertInto("login_failures")
          .values({ key, ...row })
          .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
          .execute();
        if (changes++ % DELETION_INTERVAL === 0) await deleteForgotten(transaction);
        return failures;
      }),

    async delete(key) {
      // Reading first: most logins had no failures, and a deletion is a commit.
      if ((await find(database, key)) === undefined) return;
      await database.deleteFrom("login_failures").where("key", "=", key).execute();
    },
  };
}

/** Stores the network addresses that accounts have logged in from. */
export function knownSources(database: Database) {
  return {
    async has(login: Address, source: string): Promise<boolean> {
      const rows = database.selectFrom("login_sources").select("source");
      const found = await rows.where("login", "=", login).where("source", "=", source).executeTakeFirst();
      return found !== undefined;
    },

    /** @param time Unix milliseconds */
    add: (login: Address, source: string, time: number): Promise<void> =>
      inTransaction(database, async (transaction) => {
        await transaction
          .insertInto("login_sources")
          .values({ login, source, logged_in_at: time })
          .onConflict((conflict) => conflict.columns(["login", "source"]).doUpdateSet({ logged_in_at: time }))
          .execute();
        await transaction
          .deleteFrom("login_sources")
          .where("login", "=", login)
          .where("logged_in_at", "<", (e) =>
            e
              .selectFrom("login_sources")
              .select("logged_in_at")
              .where("login", "=", login)
              .orderBy("logged_in_at", "desc")
              .limit(1)
              .offset(MAX_SOURCES - 1),
          )
          .execute();
      }),
  };
}

export type KnownSources = ReturnType<typeof knownSources>;
