import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts and authenticates data: a random nonce, the ciphertext, and the tag.
 * @param key 32 bytes
 * @param context Purpose and owner of the data; required for decryption
 */
export function encrypt(key: Uint8Array, data: Uint8Array, context = ""): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the data were not encrypted with this key and context */
export function decrypt(key: Uint8Array, encrypted: Uint8Array, context = ""): Uint8Array {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const data = encrypted.subarray(NONCE_BYTES, encrypted.length - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(encrypted.subarray(encrypted.length - TAG_BYTES));
  return Buffer.concat([decipher.update(data), decipher.final()]);
}
