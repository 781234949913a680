import { createRemoteJWKSet, errors, importSPKI, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import type { AccessScope } from "./caller.ts";
import { SealbookError } from "../../errors.ts";

/** Requirements for tokens. */
export interface TokenRules {
  /** The issuer's public key in PEM form, or the address of its JWKS. */
  readonly key: { readonly kind: "pem"; readonly text: string } | { readonly kind: "jwks"; readonly url: string };
  /** The only accepted signature algorithm. */
  readonly algorithm: string;
  readonly issuer: string;
  readonly audience: string;
}

/** The holder of a valid token. */
export interface TokenHolder {
  readonly scope: AccessScope;
  /** The claim `sub`, shortened; empty when there is none. */
  readonly subject: string;
}

/** Verifies JSON Web Tokens. */
export interface TokenVerifier {
  /**
   * Returns the holder of a token; `undefined` when it is not valid here.
   * @throws SealbookError `overloaded` when the issuer's keys cannot be fetched
   */
  holderOf(token: string): Promise<TokenHolder | undefined>;
}

/** Scope names in a token's `scope` claim; a token without any of them permits nothing. */
const READ = "sealbook:read";
const WRITE = "sealbook:write";
const CLOCK_TOLERANCE_SECONDS = 5;
const RETRY_SECONDS = 5;
/** Maximum characters of a subject in logs and in the database. */
const MAX_SUBJECT = 200;

const Claims = z.object({ scope: z.string() });

/** @throws when the key cannot be read */
export async function tokenVerifier({ key, algorithm, issuer, audience }: TokenRules): Promise<TokenVerifier> {
  const source: JWTVerifyGetKey =
    key.kind === "jwks" ? createRemoteJWKSet(new URL(key.url)) : await fixed(key.text, algorithm);
  const options = {
    algorithms: [algorithm],
    issuer,
    audience,
    requiredClaims: ["exp"],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  return {
    async holderOf(token) {
      try {
        const { payload } = await jwtVerify(token, source, options);
        const claims = Claims.safeParse(payload);
        const scopes = claims.success ? claims.data.scope.split(" ") : [];
        const scope = scopes.includes(WRITE) ? "write" : scopes.includes(READ) ? "read" : undefined;
        return scope && { scope, subject: (payload.sub ?? "").slice(0, MAX_SUBJECT) };
      } catch (cause) {
        if (isRefusal(cause)) return undefined;
        throw new SealbookError("overloaded", "the keys that tokens are checked with cannot be fetched now", {
          cause,
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
    },
  };
}

async function fixed(pem: string, algorithm: string): Promise<JWTVerifyGetKey> {
  const key = await importSPKI(pem, algorithm);
  return async () => key;
}

/** Returns whether the token is invalid, as opposed to unreachable keys of its issuer. */
function isRefusal(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout) return false;
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}
