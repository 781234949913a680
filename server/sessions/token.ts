import { hkdfSync, randomBytes, randomInt } from "node:crypto";
import keccak256 from "keccak256";
import { SealbookError } from "../errors.ts";
import { bytesOfHex } from "../kit/hex.ts";

/** Length of a token and of a secure key. */
const BYTES = 32;

/** Generates an access token or secure key: 32 random bytes. */
export function randomKey(): Uint8Array {
  return randomBytes(BYTES);
}

/**
 * Derives the successor of a token for a client that can repeat its call: the same call gives the same successor, which
 * is stored nowhere.
 * @param key The call with the client's idempotency key
 */
export function successorOf(token: Uint8Array, secureKey: Uint8Array, key: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", Buffer.concat([secureKey, token]), "", `sealbook successor ${key}`, BYTES));
}

/** Computes keccak-256 of a token, which is the token's identifier on chain. */
export function tokenHash(token: Uint8Array): Uint8Array {
  return keccak256(Buffer.from(token));
}

/**
 * Parses a token from a request.
 * @throws SealbookError `token_invalid` if the text is not `0x` and 64 hex digits
 */
export function parseToken(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new SealbookError("token_invalid", "the token is not 0x and 64 hexadecimal digits");
  }
  return bytesOfHex(text);
}

// Excludes ambiguous letters and digits, because people copy passwords by hand.
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 20;

/** Generates a password with about 116 bits of entropy. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
}
