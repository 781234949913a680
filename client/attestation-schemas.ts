import { z } from "zod";
import { sha256, whole } from "./primitives.ts";

/** Whom a statement is for. */
export const AUDIENCES = ["court", "regulator", "seller"] as const;

/** A signed statement. Only what one needs to find one's way in it is looked at: who gets it checks its signature. */
export const Attestation = z.looseObject({
  /** Compact JWS over the statement. */
  attestation: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, "is not a compact JWS"),
  statement: z.looseObject({
    format: z.literal("sealbook-attestation/1"),
    audience: z.enum(AUDIENCES),
    /** Unix seconds. */
    issued_at: whole,
    issuer: z.looseObject({ name: z.string(), key_id: z.string(), public_key: sha256 }),
  }),
  kid: z.string(),
  jwks_url: z.string(),
});

export type Audience = (typeof AUDIENCES)[number];
export type Attestation = z.output<typeof Attestation>;
