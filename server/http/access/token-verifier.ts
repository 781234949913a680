import { hash } from "node:crypto";
import { createRemoteJWKSet, errors, importSPKI, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as z from "zod";
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
  /** The claim `sub` when it is short, else its digest: no two subjects share one. Empty when there is none. */
  readonly subject: string;
}

/** The outcome of the check of a token. */
export type TokenOutcome =
  | { readonly kind: "valid"; readonly holder: TokenHolder }
  /** The token is valid, and permits nothing here. */
  | { readonly kind: "without_permission"; readonly subject: string }
  | {
      readonly kind: "refused";
      /** For the log. */
      readonly reason: string;
      /** For the caller, who learns nothing else; `undefined` for any other reason. */
      readonly time: "has expired" | "is not valid yet" | undefined;
    };

/** Verifies JSON Web Tokens. */
export interface TokenVerifier {
  /** @throws SealbookError `overloaded` when the issuer's keys cannot be fetched */
  verify(token: string): Promise<TokenOutcome>;
}

/** Permissions in the claims `scope` or `scp`; a token without any of them permits nothing. */
const READ = "sealbook:read";
const WRITE = "sealbook:write";
const CLOCK_TOLERANCE_SECONDS = 5;
const RETRY_SECONDS = 5;
/** A subject that stands for itself in logs and in the database. */
const SHORT_SUBJECT = /^[\x20-\x7e]{1,64}$/;
const DIGEST = "sha256:";

/** Permissions as text, separated by spaces (RFC 8693), or as a list: Entra ID and Okta send `scp`. */
const Permissions = z
  .union([z.string().transform((text) => text.split(" ")), z.array(z.string())])
  .optional()
  .transform((names) => names ?? []);

/** All that is read of a token. */
const Claims = z.object({ sub: z.string().default(""), scope: Permissions, scp: Permissions });

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
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, source, options);
        const { success, data: claims, error } = Claims.safeParse(payload);
        if (!success) return { kind: "refused", reason: z.prettifyError(error), time: undefined };
        const subject = subjectOf(claims.sub);
        const permissions = [...claims.scope, ...claims.scp];
        const scope = permissions.includes(WRITE) ? "write" : permissions.includes(READ) ? "read" : undefined;
        return scope === undefined
          ? { kind: "without_permission", subject }
          : { kind: "valid", holder: { scope, subject } };
      } catch (cause) {
        if (isRefusal(cause)) return { kind: "refused", reason: cause.message, time: timeOf(cause) };
        throw new SealbookError("overloaded", "the keys that tokens are checked with cannot be fetched now", {
          cause,
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
    },
  };
}

function subjectOf(sub: string): string {
  if (sub === "" || (SHORT_SUBJECT.test(sub) && !sub.startsWith(DIGEST))) return sub;
  return `${DIGEST}${hash("sha256", sub)}`;
}

function timeOf(error: errors.JOSEError): "has expired" | "is not valid yet" | undefined {
  if (error instanceof errors.JWTExpired) return "has expired";
  const isEarly = error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf";
  return isEarly && error.reason === "check_failed" ? "is not valid yet" : undefined;
}

async function fixed(pem: string, algorithm: string): Promise<JWTVerifyGetKey> {
  const key = await importSPKI(pem, algorithm);
  return async () => key;
}

/** Returns whether the token is invalid, as opposed to unreachable keys of its issuer. */
function isRefusal(error: unknown): error is errors.JOSEError {
  if (error instanceof errors.JWKSTimeout) return false;
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}
