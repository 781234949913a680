import { sign } from "node:crypto";
import { promisify } from "node:util";
import { type StatementKey, statementKeyId } from "./statement-key.ts";

/** `typ` of the JWS, which prevents the reuse of signatures over other content. */
export const JWS_TYPE = "sealbook-attestation+jws";
/** `typ` of the JWS over the result of a comparison. */
export const RESULT_TYPE = "sealbook-comparison+jws";

const signAsync = promisify(sign);

/**
 * Signs a statement, or the result of a comparison.
 * @param text The statement, used as the payload without changes
 * @returns A compact JWS (RFC 7515, RFC 7518)
 */
export async function signedText(
  text: string,
  { privateKey, publicKey }: StatementKey,
  typ: typeof JWS_TYPE | typeof RESULT_TYPE = JWS_TYPE,
): Promise<string> {
  const header = JSON.stringify({ alg: "ES256", kid: statementKeyId(publicKey), typ });
  // The library encodes byte by byte: a long statement would stop the thread.
  const signed = `${Buffer.from(header).toString("base64url")}.${Buffer.from(text).toString("base64url")}`;
  const signature = await signAsync("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
