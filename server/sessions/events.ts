import type { Address } from "../chain/transaction.ts";

/** Events of logins and sessions, for logs, metrics and alerts. None of them ever throws. */
export interface SessionEvents {
  loggedIn(account: Address): void;
  /** @param isAccount whether there is such an account at all */
  loginRefused(login: Address, isAccount: boolean): void;
  /** @param who A login, a network address, or both */
  loginsLockedOut(who: string, seconds: number): void;
  /** A login was refused unseen: it is locked out. */
  loginNotTried(): void;
  sessionChanged(account: Address, change: "validated" | "extended" | "closed"): void;
}
