import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * How a session keeps the account's unlocked signing key between calls without anybody being able to read it from
 * disk: the signing key is encrypted under the session's secure key, the secure key under the token. Only the client
 * has the token; on chain and on disk there is its hash.
 */

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a token unlocks. */
export interface SessionKeys {
  readonly secureKey: Uint8Array;
  readonly signingKey: Uint8Array;
}

/** {@link SessionKeys} as they are kept. */
export interface SealedKeys {
  readonly wrappedSecureKey: Uint8Array;
  readonly sealedSigningKey: Uint8Array;
}

/** Seals the keys of a new session. */
export function sealKeys(token: Uint8Array, keys: SessionKeys): SealedKeys {
  return {
    wrappedSecureKey: wrapSecureKey(token, keys.secureKey),
    sealedSigningKey: encrypt(keys.secureKey, keys.signingKey),
  };
}

/** Seals the secure key under another token. */
export function wrapSecureKey(token: Uint8Array, secureKey: Uint8Array): Uint8Array {
  return encrypt(keyOf(token), secureKey);
}

/** Unseals with the token they were sealed under. */
export function unsealKeys(token: Uint8Array, sealed: SealedKeys): SessionKeys {
  const secureKey = decrypt(keyOf(token), sealed.wrappedSecureKey);
  return { secureKey, signingKey: decrypt(secureKey, sealed.sealedSigningKey) };
}

function keyOf(token: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, "", "sealbook session secure key", 32));
}

function encrypt(key: Uint8Array, data: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  return Buffer.concat([nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const data = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}
