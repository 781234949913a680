import type { Address } from "../chain/transaction.ts";
import type { Database } from "../journal/engine/database.ts";

/** Account value of a line that concerns all accounts. */
export const ALL_ACCOUNTS: Address = "";

/** A line of the service log for one account or for {@link ALL_ACCOUNTS}. */
export interface ServiceLogLine {
  /** Unix milliseconds. */
  readonly time: number;
  readonly level: "info" | "warn";
  readonly account: Address;
  readonly message: string;
}

/** Maximum lines per account, and of lines for all accounts. */
const MAX_LINES = 100;
const MAX_SHARED_LINES = 1_000;

export function serviceLogStore(database: Database) {
  return {
    /** Appends a line and deletes the account's oldest lines. */
    async append(line: ServiceLogLine): Promise<void> {
      await database.insertInto("service_log").values(line).execute();
      await database
        .deleteFrom("service_log")
        .where("account", "=", line.account)
        .where("id", "<=", (e) =>
          e
            .selectFrom("service_log")
            .select("id")
            .where("account", "=", line.account)
            .orderBy("id", "desc")
            .limit(1)
            .offset(line.account === ALL_ACCOUNTS ? MAX_SHARED_LINES : MAX_LINES),
        )
        .execute();
    },

    /** Returns the lines for an account, including those for all accounts, newest first. */
    async newest(account: Address, limit: number): Promise<ServiceLogLine[]> {
      return database
        .selectFrom("service_log")
        .select(["time", "level", "account", "message"])
        .where("account", "in", [account, ALL_ACCOUNTS])
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
  };
}

export type ServiceLogStore = ReturnType<typeof serviceLogStore>;
