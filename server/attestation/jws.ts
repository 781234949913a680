import { CompactSign } from "jose";
import { type StatementKey, statementKeyId } from "./statement-key.ts";

/** `typ` of the JWS, which prevents the reuse of signatures over other content. */
export const JWS_TYPE = "sealbook-attestation+jws";

/**
 * Signs a statement.
 * @param text The statement, used as the payload without changes
 * @returns A compact JWS (RFC 7515, RFC 7518)
 */
export function signedAttestation(text: string, { privateKey, publicKey }: StatementKey): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: "ES256", kid: statementKeyId(publicKey), typ: JWS_TYPE })
    .sign(privateKey);
}
