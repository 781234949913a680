import { type AccountStore, hasKeys, NO_KEYS } from "./account-store.ts";
import type { IntentStore } from "../chain/transactions/types.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Session, SessionChange } from "./session.ts";
import type { SessionRow } from "../journal/engine/schema.ts";

/** The journal stores of sessions and accounts. */
export type SessionJournal = Atomic<{
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly intents: IntentStore;
}>;

function toSession(row: SessionRow): Session {
  return {
    tokenHash: row.token_hash,
    id: row.session_id,
    account: row.account,
    state: row.state,
    expiresAt: row.expires_at_seconds,
    validated: row.validated === 1,
    wrappedSecureKey: row.wrapped_secure_key,
    encryptedSigningKey: row.encrypted_signing_key,
    transactionId: row.transaction_id,
  };
}

export function sessionStore(database: Database) {
  return {
    async insert(session: Session): Promise<void> {
      await database
        .insertInto("sessions")
        .values({
          token_hash: session.tokenHash,
          session_id: session.id,
          account: session.account,
          state: session.state,
          expires_at_seconds: session.expiresAt,
          validated: session.validated ? 1 : 0,
          wrapped_secure_key: session.wrappedSecureKey,
          encrypted_signing_key: session.encryptedSigningKey,
          transaction_id: session.transactionId,
        })
        .execute();
    },

    async find(tokenHash: Uint8Array): Promise<Session | undefined> {
      const row = await database
        .selectFrom("sessions")
        .selectAll()
        .where("token_hash", "=", tokenHash)
        .executeTakeFirst();
      return row && toSession(row);
    },

    /**
     * Moves a token from one state to another. When one ends, the ended tokens of its session lose their keys.
     * @returns false if the session was not in `from` because a concurrent call changed it first
     */
    transition: (tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean> =>
      inTransaction(database, async (transaction) => {
        const moved = await transaction
          .updateTable("sessions")
          .set({
            state: change.state,
            ...(change.expiresAt === undefined ? {} : { expires_at_seconds: change.expiresAt }),
            ...(change.validated === undefined ? {} : { validated: change.validated ? 1 : 0 }),
            ...(change.transactionId === undefined ? {} : { transaction_id: change.transactionId }),
          })
          .where("token_hash", "=", tokenHash)
          .where("state", "=", from)
          .returning("session_id")
          .executeTakeFirst();
        if (moved !== undefined && change.state === "ended") {
          await transaction
            .updateTable("sessions")
            .set(NO_KEYS)
            .where(hasKeys)
            .where("session_id", "=", moved.session_id)
            .where("state", "=", "ended")
            .$if(change.keepsKeys === true, (others) => others.where("token_hash", "<>", tokenHash))
            .execute();
        }
        return moved !== undefined;
      }),

    /** Deletes a session that never opened. */
    async removeOpening(tokenHash: Uint8Array): Promise<void> {
      await database
        .deleteFrom("sessions")
        .where("token_hash", "=", tokenHash)
        .where("state", "=", "opening")
        .execute();
    },

    /**
     * Returns the tokens that calls are changing.
     * @param before Unix milliseconds: of calls that began earlier
     */
    async changing(before: number): Promise<Session[]> {
      const rows = await database
        .selectFrom("sessions")
        .innerJoin("transactions", "transactions.id", "sessions.transaction_id")
        .selectAll("sessions")
        .where(hasKeys)
        .where("sessions.state", "in", ["opening", "replacing"])
        .where("transactions.created_at", "<", before)
        .execute();
      return rows.map(toSession);
    },

    async countLive(now: number): Promise<number> {
      const { count } = await database
        .selectFrom("sessions")
        .select((e) => e.fn.countAll<number>().as("count"))
        .where("expires_at_seconds", ">", now)
        .where("state", "in", ["active", "replacing"])
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Deletes the keys of the tokens that expired before `time` (Unix seconds). */
    async forgetKeysBefore(time: number): Promise<void> {
      await database
        .updateTable("sessions")
        .set(NO_KEYS)
        .where(hasKeys)
        .where("expires_at_seconds", "<", time)
        .where("state", "in", ["active", "ended"])
        .execute();
    },

    /** Deletes the sessions that ended or expired before `time` (Unix seconds). */
    async deleteBefore(time: number): Promise<void> {
      await database
        .deleteFrom("sessions")
        .where("expires_at_seconds", "<", time)
        .where("state", "in", ["active", "ended"])
        .execute();
    },
  };
}

export type SessionStore = ReturnType<typeof sessionStore>;
