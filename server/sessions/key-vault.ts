import type { Address } from "../chain/transaction.ts";

/** Keystores of accounts: scrypt-encrypted signing keys. */
export interface KeyVault {
  /** A new account's signing key, and the same encrypted with a password. */
  create(password: string): Promise<{ address: Address; keystore: string; signingKey: Uint8Array }>;
  /** Opens a keystore; `undefined` when the password is wrong. Takes as long for a wrong password as for a right one. */
  unlock(keystore: string, password: string): Promise<Uint8Array | undefined>;
  /** Takes as long as {@link unlock}, for logins that do not exist. */
  unlockNothing(password: string): Promise<void>;
}
