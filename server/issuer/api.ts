import { defineRoute } from "../http/route.ts";
import { KeySet } from "./responses.ts";

export const JWKS_TYPE = "application/jwk-set+json";

export const keys = defineRoute({
  id: "keys",
  method: "get",
  path: "/.well-known/jwks.json",
  tag: "Operation",
  summary: "Signing keys",
  description:
    "Returns the public keys of bundles and statements as a JSON Web Key Set, the current key first, then " +
    "earlier keys.",
  isPublic: true,
  media: { [JWKS_TYPE]: KeySet },
  statuses: { 200: { description: "The keys.", headers: { "Cache-Control": "How long the keys may be cached." } } },
});
