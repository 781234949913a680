import { sign } from "node:crypto";
import { promisify } from "node:util";
import { type StatementKey, statementKeyId } from "./statement-key.ts";

/** `typ` of the JWS, which prevents the reuse of signatures over other content. */
export const JWS_TYPE = "sealbook-attestation+jws";

const signAsync = promisify(sign);

/**
 * Signs a statement.
 * @param text The statement, used as the payload without changes
 * @returns A compact JWS (RFC 7515, RFC 7518)
 */
export async function signedAttestation(text: string, { privateKey, publicKey }: StatementKey): Promise<string> {
  const header = JSON.stringify({ alg: "ES256", kid: statementKeyId(publicKey), typ: JWS_TYPE });
  // The library encodes byte by byte: a long statement would stop the thread.
  const signed = `${Buffer.from(header).toString("base64url")}.${Buffer.from(text).toString("base64url")}`;
  const signature = await signAsync("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
