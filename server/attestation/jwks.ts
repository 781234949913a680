import { keyIdOf } from "../proofs/index.ts";
import type { IssuerKey } from "./issuer.ts";
import { statementJwk, statementKeyId } from "./statement-key.ts";

/** Returns the issuer's public keys as a JSON Web Key Set (RFC 7517). */
export function keySet(keys: readonly IssuerKey[]): { readonly keys: readonly object[] } {
  return { keys: keys.flatMap(jwksOf) };
}

/** The key of bundles has the id that bundles contain (RFC 8037). */
function jwksOf({ publicKey, statementKey }: IssuerKey): object[] {
  const x = Buffer.from(publicKey).toString("base64url");
  return [
    { ...statementJwk(statementKey), kid: statementKeyId(statementKey), use: "sig", alg: "ES256" },
    { kty: "OKP", crv: "Ed25519", x, kid: keyIdOf(publicKey), use: "sig", alg: "EdDSA" },
  ];
}
