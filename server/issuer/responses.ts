import * as z from "zod";

const Coordinate = z.string().regex(/^[\w-]{43}$/);
const point = { kty: z.literal("EC"), crv: z.literal("P-256"), x: Coordinate, y: Coordinate };

/** A public key as JSON Web Key (RFC 7518, section 6.2). */
export const PublicJwk = z.object(point).meta({ id: "PublicJwk", description: "A public key on P-256 (RFC 7518)." });

/** The id of a key. */
export const KeyId = z.string().meta({ description: "The key's JWK thumbprint with SHA-256 (RFC 7638)." });

/** A compact JWS (RFC 7515). */
export const Jws = z
  .string()
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, "is not a compact JWS")
  .meta({ id: "Jws", description: "A compact JWS (RFC 7515) with ES256." });

/** `GET /.well-known/jwks.json` */
export const KeySet = z
  .object({ keys: z.array(z.object({ ...point, kid: KeyId, use: z.literal("sig"), alg: z.literal("ES256") })) })
  .meta({ id: "KeySet", description: "A JSON Web Key Set (RFC 7517)." });

export type PublicJwk = z.output<typeof PublicJwk>;
export type KeySet = z.output<typeof KeySet>;
