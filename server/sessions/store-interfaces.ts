import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { Address } from "../chain/transaction.ts";
import type { Atomic } from "../journal/engine/database.ts";
import type { Account, Session, SessionChange } from "./session.ts";

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
   * Moves a session from one state to another.
   * @returns false if the session was not in `from` because a concurrent call changed it first
   */
  transition(tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean>;
  /** Deletes a session that never opened. */
  removeOpening(tokenHash: Uint8Array): Promise<void>;
  /**
   * Returns the sessions that calls of this relayer were changing when its process ended.
   * @param othersBefore Unix milliseconds: includes calls of other relayers that began earlier
   */
  interrupted(othersBefore: number): Promise<Session[]>;
  countLive(now: number): Promise<number>;
  /** Deletes the sessions that ended or expired before `time` (Unix seconds). */
  deleteBefore(time: number): Promise<void>;
}

/** The journal stores of sessions and accounts. */
export type SessionJournal = Atomic<{
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly intents: IntentStore;
}>;
