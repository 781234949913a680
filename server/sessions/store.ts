import type { SessionStore } from "./store-interfaces.ts";
import type { Address } from "../chain/transaction.ts";
import type { Session } from "./session.ts";
import type { Database } from "../journal/engine/database.ts";
import type { SessionRow } from "../journal/engine/schema.ts";

function toSession(row: SessionRow): Session {
  return {
    tokenHash: row.token_hash,
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

    async transition(tokenHash, from, change) {
      const { numUpdatedRows } = await database
        .updateTable("sessions")
        .set({
          state: change.state,
          ...(change.expiresAt === undefined ? {} : { expires_at_seconds: change.expiresAt }),
          ...(change.validated === undefined ? {} : { validated: change.validated ? 1 : 0 }),
          ...(change.transactionId === undefined ? {} : { transaction_id: change.transactionId }),
        })
        .where("token_hash", "=", tokenHash)
        .where("state", "=", from)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async removeOpening(tokenHash) {
      await database
        .deleteFrom("sessions")
        .where("token_hash", "=", tokenHash)
        .where("state", "=", "opening")
        .execute();
    },

    async interrupted(othersBefore) {
      const rows = await database
        .selectFrom("sessions")
        .innerJoin("transactions", "transactions.id", "sessions.transaction_id")
        .selectAll("sessions")
        .where("sessions.state", "in", ["opening", "replacing"])
        .where((e) =>
          e.or([
            e("transactions.sender", "=", relayer),
            e("transactions.sender", "is", null),
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

    async deleteBefore(time) {
      await database
        .deleteFrom("sessions")
        .where("expires_at_seconds", "<", time)
        .where("state", "in", ["active", "ended"])
        .execute();
    },
  };
}
