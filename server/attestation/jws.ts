import { CompactSign } from "jose";
import { type IssuerSigner, keyIdOf } from "../proofs/index.ts";

/** What the JWS says it is, so that no signature over something else can pass for one of these. */
export const JWS_TYPE = "sealbook-attestation+jws";

/**
 * Signs a statement.
 * @param text The statement, which is the payload as it is
 * @returns a compact JWS (RFC 7515, RFC 8037)
 */
export function signedAttestation(text: string, { key, publicKey }: IssuerSigner): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: "EdDSA", kid: keyIdOf(publicKey), typ: JWS_TYPE })
    .sign(key);
}
