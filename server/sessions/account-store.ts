import type { AccountStore } from "./store-interfaces.ts";
import type { Account } from "./session.ts";
import type { Database } from "../journal/engine/database.ts";
import { appendEntries, inTransaction } from "../journal/entries/entry-log.ts";
import type { AccountRow } from "../journal/engine/schema.ts";

function toAccount(row: AccountRow): Account {
  return {
    address: row.address,
    scope: row.scope,
    keystore: row.keystore,
    createdAt: row.created_at,
    enrolled: row.enrolled === 1,
    revokedAt: row.revoked_at ?? undefined,
  };
}

export function accountStore(database: Database): AccountStore {
  return {
    insert: ({ address, keystore, scope, createdAt }) =>
      inTransaction(database, async (transaction) => {
        const [appended] = await appendEntries(transaction, [
          (sequence) => ({ kind: "account" as const, sequence, address, keystore, createdAt }),
        ]);
        if (appended === undefined) throw new RangeError("the journal returned no entry for the account");
        const { entry, digest } = appended;
        await transaction
          .insertInto("accounts")
          .values({
            address,
            keystore,
            scope,
            enrolled: 0,
            created_at: createdAt,
            revoked_at: null,
            sequence: entry.sequence,
            digest,
          })
          .execute();
      }),

    async find(address) {
      const row = await database.selectFrom("accounts").selectAll().where("address", "=", address).executeTakeFirst();
      return row && toAccount(row);
    },

    async list() {
      const rows = await database.selectFrom("accounts").selectAll().orderBy("created_at").execute();
      return rows.map(toAccount);
    },

    async count() {
      const { count } = await database
        .selectFrom("accounts")
        .select((e) => e.fn.countAll<number>().as("count"))
        .where("enrolled", "=", 1)
        .executeTakeFirstOrThrow();
      return count;
    },

    async applyChange(address, change) {
      await database
        .updateTable("accounts")
        .set(
          change.enrolled
            ? { enrolled: 1, revoked_at: null, scope: change.scope }
            : { enrolled: 0, revoked_at: change.revokedAt },
        )
        .where("address", "=", address)
        .execute();
    },
  };
}
