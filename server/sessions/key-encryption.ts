import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Encryption of a session's keys at rest: the account's signing key under the session's secure key, the secure key
 * under the token. Only the client has the token; chain and journal store its hash.
 */

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys that a token decrypts. */
export interface SessionKeys {
  readonly secureKey: Uint8Array;
  readonly signingKey: Uint8Array;
}

/** {@link SessionKeys} in encrypted form. */
export interface EncryptedKeys {
  readonly wrappedSecureKey: Uint8Array;
  readonly encryptedSigningKey: Uint8Array;
}

/** Encrypts the keys of a new session. */
export function encryptKeys(token: Uint8Array, keys: SessionKeys): EncryptedKeys {
  return {
    wrappedSecureKey: wrapSecureKey(token, keys.secureKey),
    encryptedSigningKey: encrypt(keys.secureKey, keys.signingKey),
  };
}

/** Encrypts the secure key under a token. */
export function wrapSecureKey(token: Uint8Array, secureKey: Uint8Array): Uint8Array {
  return encrypt(keyOf(token), secureKey);
}

/** Decrypts the keys with the token of their session. Throws if the token or the data differ. */
export function decryptKeys(token: Uint8Array, encrypted: EncryptedKeys): SessionKeys {
  const secureKey = decrypt(keyOf(token), encrypted.wrappedSecureKey);
  return { secureKey, signingKey: decrypt(secureKey, encrypted.encryptedSigningKey) };
}

function keyOf(token: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, "", "sealbook session secure key", 32));
}

function encrypt(key: Uint8Array, data: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, encrypted: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(encrypted.subarray(encrypted.length - TAG_BYTES));
  const data = encrypted.subarray(NONCE_BYTES, encrypted.length - TAG_BYTES);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}
