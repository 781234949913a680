import { createPublicKey, hash } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import type { KeySet, PublicJwk } from "./responses.ts";

const COORDINATE_BYTES = 32;

/**
 * A key of the issuer: ECDSA on P-256 with SHA-256, ES256 of RFC 7518. JOSE libraries, Web Cryptography and OpenSSL
 * verify it without an option or another package.
 */
export interface SigningKey {
  /** The uncompressed point: 65 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * Signs deterministically (RFC 6979, with the lower s): equal messages have equal signatures, so that a bundle is the
   * same each time.
   * @returns 64 bytes: r and s (IEEE P1363)
   */
  sign(message: Uint8Array): Uint8Array;
}

/** Creates the private key of a {@link SigningKey}: 32 bytes. */
export function newPrivateKey(): Uint8Array {
  return p256.utils.randomSecretKey();
}

/**
 * @param privateKey 32 bytes
 * @throws Error if they are no private key of the curve
 */
export function signingKey(privateKey: Uint8Array): SigningKey {
  return {
    publicKey: p256.getPublicKey(privateKey, false),
    // The digest by Node: a statement has megabytes.
    sign: (message) => p256.sign(hash("sha256", message, "buffer"), privateKey, { prehash: false, lowS: true }),
  };
}

/** Encodes a public key as JSON Web Key (RFC 7518, section 6.2). */
export function publicJwk(publicKey: Uint8Array): PublicJwk {
  const coordinate = (index: number): string =>
    Buffer.from(publicKey)
      .subarray(1 + index * COORDINATE_BYTES, 1 + (index + 1) * COORDINATE_BYTES)
      .toString("base64url");
  return { kty: "EC", crv: "P-256", x: coordinate(0), y: coordinate(1) };
}

/** Returns the id of a public key: its JWK thumbprint with SHA-256 (RFC 7638), 43 characters of base64url. */
export function keyIdOf(publicKey: Uint8Array): string {
  const { crv, kty, x, y } = publicJwk(publicKey);
  return hash("sha256", JSON.stringify({ crv, kty, x, y }), "base64url");
}

/** Encodes a public key as the body of a PEM file: base64 of its `SubjectPublicKeyInfo`. */
export function publicKeyInfo(publicKey: Uint8Array): string {
  return createPublicKey({ key: { ...publicJwk(publicKey) }, format: "jwk" })
    .export({ format: "der", type: "spki" })
    .toString("base64");
}

/** Returns public keys as a JSON Web Key Set (RFC 7517). */
export function keySet(publicKeys: readonly Uint8Array[]): KeySet {
  return { keys: publicKeys.map((key) => ({ ...publicJwk(key), kid: keyIdOf(key), use: "sig", alg: "ES256" })) };
}
