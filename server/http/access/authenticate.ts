import { timingSafeEqual } from "node:crypto";
import type { Request, RequestHandler } from "express";
import { type ApiCaller, type ApiKeyStore, isValid, noteApiCaller, notePublicCaller, parseApiKey } from "./caller.ts";
import type { Clock } from "../../kit/time.ts";
import { SealbookError } from "../../errors.ts";
import { forwardedCaller } from "../forwarding/accept.ts";
import type { TokenVerifier } from "./token-verifier.ts";

/** Authentication methods; without any, authentication is not required. */
export interface AuthenticationDeps {
  readonly apiKeys: ApiKeyStore | undefined;
  readonly tokens: TokenVerifier | undefined;
  readonly clock: Clock;
  /** Receives why a token is refused, without the token. */
  readonly onRefusal: (reason: string) => void;
}

const KEY_HEADER = "X-API-Key";
const BEARER = /^Bearer +(\S+)$/i;
const ASKING_METHODS = ["GET", "HEAD"];
/** POST requests that a `read` scope permits; routes are case-insensitive. */
const ASKING_POSTS = /^\/(?:api\/v1\/(?:verify|recovery\/verify)|explorer\/api\/decode)\/?$/i;

/** Rejects requests without an API key or a token of the required scope. */
export function authenticate(deps: AuthenticationDeps): RequestHandler {
  if (deps.apiKeys === undefined && deps.tokens === undefined) return (_request, _response, next) => next();
  const schemes = [...(deps.apiKeys === undefined ? [] : ["ApiKey"]), ...(deps.tokens === undefined ? [] : ["Bearer"])];
  return async (request, response, next) => {
    const caller = forwardedCaller(request)?.api ?? (await callerOf(deps, request));
    if ("refusal" in caller) {
      response.set("WWW-Authenticate", schemes.map((scheme) => `${scheme} realm="sealbook"`).join(", "));
      throw new SealbookError("unauthorized", caller.refusal);
    }
    noteApiCaller(request, caller);
    if (caller.scope === "read" && !isReadRequest(request)) {
      throw new SealbookError(
        "forbidden",
        "the presented key or token has the scope `read`: it allows queries, no records and no statements",
      );
    }
    next();
  };
}

/** Lets requests without credentials pass as those of the public; credentials that are presented must be valid. */
export function authenticateIfPresented(authenticated: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (forwardedCaller(request)?.api !== undefined) return authenticated(request, response, next);
    const isPresented = request.get(KEY_HEADER) !== undefined || request.get("Authorization") !== undefined;
    if (isPresented) return authenticated(request, response, next);
    notePublicCaller(request);
    next();
  };
}

function isReadRequest({ method, path }: Request): boolean {
  return ASKING_METHODS.includes(method) || (method === "POST" && ASKING_POSTS.test(path));
}

const NOBODY = { refusal: "an API key or a token that is valid is needed" };

/** @throws SealbookError `forbidden` for a valid token without a permission */
async function callerOf(
  { apiKeys, tokens, clock, onRefusal }: AuthenticationDeps,
  request: Request,
): Promise<ApiCaller | { readonly refusal: string }> {
  const key = request.get(KEY_HEADER);
  if (apiKeys !== undefined && key !== undefined) {
    const presented = parseApiKey(key);
    const known = presented && (await apiKeys.find(presented.id));
    // Also compares digests for an unknown id, so that the response time reveals nothing about ids.
    const isRight =
      presented !== undefined &&
      timingSafeEqual(presented.digest, known?.digest ?? Buffer.alloc(presented.digest.length));
    if (known === undefined || !isRight || !isValid(known, clock())) return NOBODY;
    return { kind: "api_key", id: known.id, scope: known.scope };
  }
  const token = BEARER.exec(request.get("Authorization") ?? "")?.[1];
  if (tokens === undefined || token === undefined) return NOBODY;
  const outcome = await tokens.verify(token);
  switch (outcome.kind) {
    case "valid":
      return { kind: "token", id: outcome.holder.subject, scope: outcome.holder.scope };
    case "without_permission":
      onRefusal(`the token of ${outcome.subject} has no permission of this server`);
      throw new SealbookError(
        "forbidden",
        "the token has neither the permission sealbook:read nor sealbook:write, in scope or scp",
      );
    case "refused":
      onRefusal(outcome.reason);
      return outcome.time === undefined ? NOBODY : { refusal: `the token ${outcome.time}` };
  }
}
