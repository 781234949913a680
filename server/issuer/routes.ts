import { type ServedRoute, serveRaw } from "../http/serve.ts";
import { JWKS_TYPE, keys } from "./api.ts";
import type { Issuer } from "./issuer.ts";
import { keySet } from "./signing-key.ts";

/** Cache lifetime of the key set, and so the maximum delay until clients see a rotated key. */
const KEYS_MAX_AGE_SECONDS = 300;

/** The public keys. */
export function keysRoute(issuer: Pick<Issuer, "publicKeys">): ServedRoute {
  return serveRaw(keys)(async (_input, _request, response) => {
    response.set("Cache-Control", `public, max-age=${KEYS_MAX_AGE_SECONDS}`);
    response.type(JWKS_TYPE).send(JSON.stringify(keySet(await issuer.publicKeys())));
  });
}
