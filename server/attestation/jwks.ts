import type { RequestHandler } from "express";
import { keyIdOf } from "../proofs/index.ts";
import type { IssuerKey } from "./issuer.ts";
import { statementJwk, statementKeyId } from "./statement-key.ts";

/** Cache lifetime of the key set, and so the maximum delay until clients see a rotated key. */
const MAX_AGE_SECONDS = 300;

/** Path of the published key set. */
export const JWKS_PATH = "/.well-known/jwks.json";

export const JWKS_TYPE = "application/jwk-set+json";

/** Publishes the issuer's public keys as a JSON Web Key Set (RFC 7517). */
export function jwks(keys: () => Promise<readonly IssuerKey[]>): RequestHandler {
  return async (_request, response) => {
    const published = (await keys()).flatMap(jwksOf);
    response.set("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
    response.type(JWKS_TYPE).send(JSON.stringify({ keys: published }));
  };
}

/** The key of bundles has the id that bundles contain (RFC 8037). */
function jwksOf({ publicKey, statementKey }: IssuerKey): object[] {
  const x = Buffer.from(publicKey).toString("base64url");
  return [
    { ...statementJwk(statementKey), kid: statementKeyId(statementKey), use: "sig", alg: "ES256" },
    { kty: "OKP", crv: "Ed25519", x, kid: keyIdOf(publicKey), use: "sig", alg: "EdDSA" },
  ];
}
