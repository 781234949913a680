import type { Address } from "../chain/transaction.ts";

/** Events of logins and sessions for logs, metrics and alerts. Handlers never throw. */
export interface SessionEvents {
  loggedIn(account: Address): void;
  /** @param isAccount Whether the account exists */
  loginRefused(login: Address, isAccount: boolean): void;
  /** @param subject A login, a network address, or both */
  loginsLockedOut(subject: string, seconds: number): void;
  /** A login was rejected during a lockout, before the password was checked. */
  loginBlocked(): void;
  sessionChanged(account: Address, change: "validated" | "extended" | "closed"): void;
}
