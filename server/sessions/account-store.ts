import { sql } from "kysely";
import type { Address } from "../chain/transaction.ts";
import type { Account } from "./session.ts";
import type { Database } from "../journal/engine/database.ts";
import { appendEntry, inTransaction } from "../journal/entries/entry-log.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { AccountRow } from "../journal/engine/schema.ts";

/** A change of an account in the registry contract's log. */
export type AccountChange =
  | { readonly enrolled: true; readonly scope: Account["scope"] }
  | { readonly enrolled: false; readonly revokedAt: number };

type NewAccountRow = Omit<Account, "enrolled" | "revokedAt">;

/** The keys of a token that has ended. */
export const NO_KEYS = { wrapped_secure_key: new Uint8Array(), encrypted_signing_key: new Uint8Array() };

/** Selects the tokens that have keys, by indexes of their own. */
export const hasKeys = sql<boolean>`length(wrapped_secure_key) > 0`;

function toAccount(row: AccountRow & { readonly changed_keystore: string | null }): Account {
  return {
    address: row.address,
    scope: row.scope,
    keystore: row.changed_keystore ?? row.keystore,
    createdAt: row.created_at,
    enrolled: row.enrolled === 1,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** Ends all tokens of an account, also those that expired or were replaced and still have keys. */
async function endSessions(database: Database, account: Address): Promise<void> {
  await database
    .updateTable("sessions")
    .set({ state: "ended", ...NO_KEYS })
    .where("account", "=", account)
    .where(hasKeys)
    .execute();
}

export function accountStore(database: Database, key?: JournalKey) {
  const accounts = () =>
    database
      .selectFrom("accounts")
      .leftJoin("changed_keystores", "changed_keystores.address", "accounts.address")
      .selectAll("accounts")
      .select("changed_keystores.keystore as changed_keystore");
  return {
    insert: ({ address, keystore, scope, createdAt }: NewAccountRow): Promise<void> =>
      inTransaction(database, async (transaction) => {
        await appendEntry(transaction, key, (sequence) => ({
          kind: "account" as const,
          sequence,
          address,
          keystore,
          created_at: createdAt,
        }));
        await transaction.updateTable("accounts").set({ scope }).where("address", "=", address).execute();
      }),

    /** Inserts an account that is enrolled. */
    add: (account: NewAccountRow): Promise<void> =>
      inTransaction(database, async (transaction) => {
        const accounts = accountStore(transaction, key);
        await accounts.insert(account);
        await accounts.applyChange(account.address, { enrolled: true, scope: account.scope });
      }),

    async find(address: Address): Promise<Account | undefined> {
      const row = await accounts().where("accounts.address", "=", address).executeTakeFirst();
      return row && toAccount(row);
    },

    async list(): Promise<Account[]> {
      const rows = await accounts().orderBy("created_at").execute();
      return rows.map(toAccount);
    },

    /** Returns the number of enrolled accounts. */
    async count(): Promise<number> {
      const { count } = await database
        .selectFrom("accounts")
        .select((e) => e.fn.countAll<number>().as("count"))
        .where("enrolled", "=", 1)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Ends an account, and its sessions. */
    revoke: (address: Address, revokedAt: number): Promise<void> =>
      accountStore(database, key).applyChange(address, { enrolled: false, revokedAt }),

    /** Replaces the keystore of an account, which has a new password, and ends its sessions. */
    changeKeystore: (address: Address, keystore: string, changedAt: number): Promise<void> =>
      inTransaction(database, async (transaction) => {
        await transaction
          .insertInto("changed_keystores")
          .values({ address, keystore, changed_at: changedAt })
          .onConflict((conflict) => conflict.column("address").doUpdateSet({ keystore, changed_at: changedAt }))
          .execute();
        await endSessions(transaction, address);
      }),

    /** Applies a change from the registry contract's log. Ignores accounts that the journal does not contain. */
    applyChange: (address: Address, change: AccountChange): Promise<void> =>
      inTransaction(database, async (transaction) => {
        await transaction
          .updateTable("accounts")
          .set(
            change.enrolled
              ? { enrolled: 1, revoked_at: null, scope: change.scope }
              : { enrolled: 0, revoked_at: change.revokedAt },
          )
          .where("address", "=", address)
          .execute();
        if (!change.enrolled) await endSessions(transaction, address);
      }),
  };
}

export type AccountStore = ReturnType<typeof accountStore>;
