import type { Address } from "../chain/transaction.ts";

/** Account keystores: signing keys encrypted with scrypt. */
export interface KeyVault {
  /** Generates a signing key and its keystore. */
  create(password: string): Promise<{ address: Address; keystore: string; signingKey: Uint8Array }>;
  /** Encrypts a signing key with another password. */
  encrypt(signingKey: Uint8Array, password: string): Promise<string>;
  /**
   * Decrypts a keystore; returns `undefined` for a wrong password. Takes the same time for right and wrong passwords.
   * @param source The caller, with whom other callers take turns
   * @throws SealbookError `overloaded` when too many callers wait
   */
  unlock(keystore: string, password: string, source: string): Promise<Uint8Array | undefined>;
  /** Takes the same time as {@link unlock}, for logins that do not exist. */
  unlockDecoy(password: string, source: string): Promise<void>;
}
