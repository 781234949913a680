import type { Address } from "../chain/transaction.ts";

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

export interface ServiceLogStore {
  /** Appends a line and deletes the account's oldest lines. */
  append(line: ServiceLogLine): Promise<void>;
  /** Returns the lines for an account, including those for all accounts, newest first. */
  newest(account: Address, limit: number): Promise<ServiceLogLine[]>;
}
