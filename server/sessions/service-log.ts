import type { Address } from "../chain/transaction.ts";

/** In the place of an account: a line that concerns all of them. */
export const EVERYBODY: Address = "";

/** A line of the service log that concerns an account, or {@link EVERYBODY}. */
export interface ServiceLogLine {
  /** Unix milliseconds. */
  readonly time: number;
  readonly level: "info" | "warn";
  readonly account: Address;
  readonly message: string;
}

export interface ServiceLogStore {
  /** Adds a line, and forgets the account's oldest ones. */
  append(line: ServiceLogLine): Promise<void>;
  /** Those that concern an account, newest first. */
  newest(account: Address, limit: number): Promise<ServiceLogLine[]>;
}
