import type { Scope } from "../chain/contracts/session-registry-client.ts";

/** An account that may log in. */
export interface Account {
  readonly address: string;
  readonly scope: Scope;
  /** Encrypted signing key (Web3 Secret Storage, scrypt). */
  readonly keystore: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Whether the registry contract has it: false before enrolment is confirmed and after revocation. */
  readonly enrolled: boolean;
  /** Unix milliseconds. */
  readonly revokedAt: number | undefined;
}

/**
 * Where a token is in its life. `opening` and `replacing` wait for a transaction: the first becomes `active` with
 * it, the second `ended`. An ended token never comes back.
 */
export type SessionState = "opening" | "active" | "replacing" | "ended";

/** A token, known only by its hash, and what it unlocks. */
export interface Session {
  /** keccak-256 of the token. */
  readonly tokenHash: Uint8Array;
  readonly account: string;
  readonly state: SessionState;
  /** Unix seconds; 0 while opening. */
  readonly expiresAt: number;
  readonly validated: boolean;
  /** The session's secure key, encrypted under the token. */
  readonly wrappedSecureKey: Uint8Array;
  /** The account's signing key, encrypted under the secure key. */
  readonly sealedSigningKey: Uint8Array;
  /** The transaction that opens or ends it. */
  readonly transactionId: number;
}

/** What a transition changes. */
export interface SessionChange {
  readonly state: SessionState;
  readonly expiresAt?: number;
  readonly validated?: boolean;
  readonly transactionId?: number;
}
