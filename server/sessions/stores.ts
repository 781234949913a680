import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { Address } from "../chain/transaction.ts";
import type { Atomic } from "../journal/engine/atomic.ts";
import type { Account, Session, SessionChange } from "./session.ts";

export interface AccountStore {
  insert(account: { address: Address; keystore: string; scope: Account["scope"]; createdAt: number }): Promise<void>;
  find(address: Address): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  /** Accounts that are enrolled. */
  count(): Promise<number>;
  /** Takes over what the registry contract says of an account; nothing happens for one that is not ours. */
  follow(address: Address, change: AccountChange): Promise<void>;
}

/** What the registry contract's log says of an account. */
export type AccountChange =
  | { readonly enrolled: true; readonly scope: Account["scope"] }
  | { readonly enrolled: false; readonly revokedAt: number };

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | undefined>;
  /**
   * Moves a session from one state to another.
   * @returns false when it was not in `from`: somebody else was first
   */
  transition(tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean>;
  /**
   * Sessions that a call of this relayer was about to change when its process ended.
   * @param othersBefore Unix milliseconds: calls of other relayers that began before are over as well
   */
  unsettled(othersBefore: number): Promise<Session[]>;
  countLive(now: number): Promise<number>;
  /** Forgets sessions that were over before `time` (Unix seconds). */
  forgetBefore(time: number): Promise<void>;
}

/** The part of the journal that sessions and accounts need. */
export type SessionJournal = Atomic<{
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly intents: IntentStore;
}>;
