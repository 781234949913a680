import { createECDH, createPrivateKey, createPublicKey, hash, hkdfSync, type KeyObject } from "node:crypto";

/** The order of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const COORDINATE_BYTES = 32;
/** 64 bits more than the order has, so that the remainder has no bias (FIPS 186-5, A.2.1). */
const DERIVED_BYTES = 40;
/** Separates the key from other uses of the same secret. */
const PURPOSE = "sealbook statement key";

/** A public key of statements as a JSON Web Key (RFC 7518, section 6.2). */
export interface StatementJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** The key that signs statements with ES256. */
export interface StatementKey {
  readonly privateKey: KeyObject;
  /** The point on the curve, uncompressed: 65 bytes. */
  readonly publicKey: Uint8Array;
}

/**
 * Derives the key of statements from the issuer's secret.
 *
 * Statements have ES256, because the JOSE libraries verify it without an option or another package. Bundles have
 * Ed25519. One secret for both is one thing to back up and to encrypt.
 * @param secret 32 bytes
 */
export function deriveStatementKey(secret: Uint8Array): StatementKey {
  const derived = Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, DERIVED_BYTES)).toString("hex");
  const scalar = Buffer.from(
    ((BigInt(`0x${derived}`) % (ORDER - 1n)) + 1n).toString(16).padStart(2 * COORDINATE_BYTES, "0"),
    "hex",
  );
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(scalar);
  const publicKey = curve.getPublicKey();
  const key = { ...statementJwk(publicKey), d: scalar.toString("base64url") };
  return { privateKey: createPrivateKey({ key, format: "jwk" }), publicKey };
}

/** Encodes a public key as JWK. */
export function statementJwk(publicKey: Uint8Array): StatementJwk {
  const coordinate = (index: number): string =>
    Buffer.from(publicKey)
      .subarray(1 + index * COORDINATE_BYTES, 1 + (index + 1) * COORDINATE_BYTES)
      .toString("base64url");
  return { kty: "EC", crv: "P-256", x: coordinate(0), y: coordinate(1) };
}

/** Returns the id of a public key: its JWK thumbprint with SHA-256 (RFC 7638). */
export function statementKeyId(publicKey: Uint8Array): string {
  const { crv, kty, x, y } = statementJwk(publicKey);
  return hash("sha256", JSON.stringify({ crv, kty, x, y }), "base64url");
}

/** Encodes a public key as the body of a PEM file: base64 of its `SubjectPublicKeyInfo`. */
export function statementKeyInfo(publicKey: Uint8Array): string {
  return createPublicKey({ key: { ...statementJwk(publicKey) }, format: "jwk" })
    .export({ format: "der", type: "spki" })
    .toString("base64");
}
