import { randomBytes } from "node:crypto";
import keccak256 from "keccak256";
import { SealbookError } from "../errors.ts";

/** 32 bytes, as a token and a secure key have them. */
const BYTES = 32;

/** A new access token or secure key: 32 random bytes. */
export function randomKey(): Uint8Array {
  return randomBytes(BYTES);
}

/** What the chain knows of a token. */
export function tokenHash(token: Uint8Array): Uint8Array {
  return keccak256(Buffer.from(token));
}

/** 32 bytes as clients see them: `0x` and 64 hex digits. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

/**
 * Reads a token as a client presents it.
 * @throws SealbookError `token_invalid` when it is no token at all
 */
export function parseToken(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new SealbookError("token_invalid", "the token is not 0x and 64 hexadecimal digits");
  }
  return Buffer.from(text.slice(2), "hex");
}
