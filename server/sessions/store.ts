import { sql } from "kysely";
import type { IntentStore } from "../chain/transactions/types.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import type { Address } from "../chain/transaction.ts";
import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Account, Session, SessionChange } from "./session.ts";
import type { SessionRow } from "../journal/engine/schema.ts";

export interface AccountStore {
  insert(account: { address: Address; keystore: string; scope: Account["scope"]; createdAt: number }): Promise<void>;
  find(address: Address): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  /** Returns the number of enrolled accounts. */
  count(): Promise<number>;
  /** Replaces the keystore of an account, which has a new password, and ends its sessions. */
  changeKeystore(address: Address, keystore: string, changedAt: number): Promise<void>;
  /** Applies a change from the registry contract's log. Ignores accounts that the journal does not contain. */
  applyChange(address: Address, change: AccountChange): Promise<void>;
}

/** A change of an account in the registry contract's log. */
export type AccountChange =
  | { readonly enrolled: true; readonly scope: Account["scope"] }
  | { readonly enrolled: false; readonly revokedAt: number };

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | undefined>;
  /**
   * Moves a token from one state to another. When one ends, the ended tokens of its session lose their keys.
   * @returns false if the session was not in `from` because a concurrent call changed it first
   */
  transition(tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean>;
  /** Deletes a session that never opened. */
  removeOpening(tokenHash: Uint8Array): Promise<void>;
  /**
   * Returns the tokens that calls are changing.
   * @param ownBefore Unix milliseconds: calls of this relayer that began earlier
   * @param othersBefore Unix milliseconds: calls of other relayers that began earlier
   */
  changing(ownBefore: number, othersBefore: number): Promise<Session[]>;
  countLive(now: number): Promise<number>;
  /** Deletes the keys of the tokens that expired before `time` (Unix seconds). */
  forgetKeysBefore(time: number): Promise<void>;
  /** Deletes the sessions that ended or expired before `time` (Unix seconds). */
  deleteBefore(time: number): Promise<void>;
}

/** The journal stores of sessions and accounts. */
export type SessionJournal = Atomic<{
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly intents: IntentStore;
}>;

/** The keys of a token that has ended. */
export const NO_KEYS = { wrapped_secure_key: new Uint8Array(), encrypted_signing_key: new Uint8Array() };

/** Selects the tokens that have keys, by indexes of their own. */
export const hasKeys = sql<boolean>`length(wrapped_secure_key) > 0`;

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

/** @param relayer The relayer of this server */
export function sessionStore(database: Database, relayer: Address): SessionStore {
  return {
    async insert(session) {
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

    async find(tokenHash) {
      const row = await database
        .selectFrom("sessions")
        .selectAll()
        .where("token_hash", "=", tokenHash)
        .executeTakeFirst();
      return row && toSession(row);
    },

    transition: (tokenHash, from, change) =>
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

    async removeOpening(tokenHash) {
      await database
        .deleteFrom("sessions")
        .where("token_hash", "=", tokenHash)
        .where("state", "=", "opening")
        .execute();
    },

    async changing(ownBefore, othersBefore) {
      const rows = await database
        .selectFrom("sessions")
        .innerJoin("transactions", "transactions.id", "sessions.transaction_id")
        .selectAll("sessions")
        .where(hasKeys)
        .where("sessions.state", "in", ["opening", "replacing"])
        .where((e) =>
          e.or([
            e.and([
              e.or([e("transactions.sender", "=", relayer), e("transactions.sender", "is", null)]),
              e("transactions.created_at", "<", ownBefore),
            ]),
            e("transactions.created_at", "<", othersBefore),
          ]),
        )
        .execute();
      return rows.map(toSession);
    },

    async countLive(now) {
      const { count } = await database
        .selectFrom("sessions")
        .select((e) => e.fn.countAll<number>().as("count"))
        .where("expires_at_seconds", ">", now)
        .where("state", "in", ["active", "replacing"])
        .executeTakeFirstOrThrow();
      return count;
    },

    async forgetKeysBefore(time) {
      await database
        .updateTable("sessions")
        .set(NO_KEYS)
        .where(hasKeys)
        .where("expires_at_seconds", "<", time)
        .where("state", "in", ["active", "ended"])
        .execute();
    },

    async deleteBefore(time) {
      await database
        .deleteFrom("sessions")
        .where("expires_at_seconds", "<", time)
        .where("state", "in", ["active", "ended"])
        .execute();
    },
  };
}
