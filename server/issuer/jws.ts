import { compactVerify, createLocalJWKSet, errors } from "jose";
import { keyIdOf, keySet, type SigningKey } from "./signing-key.ts";

/** `typ` of a JWS over a statement and over the result of a comparison: no signature counts for the other. */
export type JwsType = "sealbook-attestation+jws" | "sealbook-comparison+jws";

/**
 * Signs a text.
 * @param text The payload, used without changes
 * @returns A compact JWS with ES256 (RFC 7515, RFC 7518)
 */
export function signedText(text: string, key: SigningKey, typ: JwsType): string {
  const header = JSON.stringify({ alg: "ES256", kid: keyIdOf(key.publicKey), typ });
  // The library encodes byte by byte: a long statement would stop the thread.
  const signed = `${Buffer.from(header).toString("base64url")}.${Buffer.from(text).toString("base64url")}`;
  return `${signed}.${Buffer.from(key.sign(Buffer.from(signed))).toString("base64url")}`;
}

/** Whether a compact JWS has this text and type, and a signature of one of the keys. */
export async function isSignedText(
  jws: string,
  text: string,
  { publicKeys, typ }: { readonly publicKeys: readonly Uint8Array[]; readonly typ: JwsType },
): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keySet(publicKeys)));
    return protectedHeader.typ === typ && Buffer.from(payload).toString() === text;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
