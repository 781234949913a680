import type { Address, ContractCall } from "../transaction.ts";

/** What an account may do: `full`, or `read` (search and decode only). */
export type Scope = "full" | "read";

/** Sessions as the registry contract has them. */
export interface SessionChain {
  /** Lifetime of a session and the minimum an extension needs, in seconds. */
  rules(): Promise<{ lifetime: number; minimumToExtend: number }>;
  /** `undefined` for a token hash never seen. */
  sessionOf(tokenHash: Uint8Array): Promise<{ expiresAt: number; validated: boolean; ended: boolean } | undefined>;
  openCall(account: Address, tokenHash: Uint8Array, signingKey: Uint8Array): ContractCall;
  validateCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall;
  extendCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall;
  closeCall(tokenHash: Uint8Array): ContractCall;
}

/** Enrols and revokes accounts on chain; each returns when it is mined. */
export interface Registrar {
  enroll(account: Address, scope: Scope): Promise<void>;
  revoke(account: Address): Promise<void>;
}
