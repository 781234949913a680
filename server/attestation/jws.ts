import { CompactSign } from "jose";
import { type IssuerSigner, keyIdOf } from "../proofs/index.ts";

/** `typ` of the JWS, which prevents the reuse of signatures over other content. */
export const JWS_TYPE = "sealbook-attestation+jws";

/**
 * Signs a statement.
 * @param text The statement, used as the payload without changes
 * @returns A compact JWS (RFC 7515, RFC 8037)
 */
export function signedAttestation(text: string, { key, publicKey }: IssuerSigner): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: "EdDSA", kid: keyIdOf(publicKey), typ: JWS_TYPE })
    .sign(key);
}
