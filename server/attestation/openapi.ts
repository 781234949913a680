import { z } from "zod";
import { JSON_TYPE, type Operation, ALLOWED, PROBLEM_TYPE, errorResponses } from "../http/openapi/operation.ts";
import { Attestation, Coordinate, Jws } from "./responses.ts";
import { JOSE_TYPE, PDF_TYPE } from "./routes.ts";
import { AttestBody } from "./schemas.ts";
import { Problem } from "../http/responses.ts";
import { JWKS_PATH, JWKS_TYPE } from "./jwks.ts";
import { exampleResponse, ATTESTED, CONTRACT, notFound, PUBLISHED_KEYS } from "../http/openapi/examples.ts";

const json = (value: unknown) => ({ type: JSON_TYPE, value });
const request = { document_id: CONTRACT.document_id, audience: "court" };
const named = { "Content-Disposition": "The file name of the statement." };

const methodNotAllowed = {
  status: 405,
  description: "The path supports GET only.",
  content: { [PROBLEM_TYPE]: Problem },
  headers: ALLOWED,
};

const KeySet = z
  .object({
    keys: z.array(
      z.union([
        z
          .object({
            kty: z.literal("EC"),
            crv: z.literal("P-256"),
            x: Coordinate,
            y: Coordinate,
            kid: z.string().meta({ description: "The JWK thumbprint (RFC 7638)." }),
            use: z.literal("sig"),
            alg: z.literal("ES256"),
          })
          .meta({ description: "A key of statements." }),
        z
          .object({
            kty: z.literal("OKP"),
            crv: z.literal("Ed25519"),
            x: Coordinate,
            kid: z.string().meta({ description: "The `key_id` in portable proofs." }),
            use: z.literal("sig"),
            alg: z.literal("EdDSA"),
          })
          .meta({ description: "A key of portable proofs." }),
      ]),
    ),
  })
  .meta({ id: "KeySet", description: "A JSON Web Key Set (RFC 7517, RFC 7518, RFC 8037)." });

/** Attestations and their keys. */
export const ATTEST_OPERATIONS: readonly Operation[] = [
  {
    id: "attest",
    method: "post",
    path: "/api/v1/recovery/attest",
    tag: "Recovery",
    summary: "Issue an attestation",
    description:
      "Issues a signed statement about the records of a document, a hash or a comparison. The request names " +
      "exactly one of them. The server checks every fact against the chain before signing, and the statement " +
      "contains the steps to check it again. `Accept` selects JSON, the JWS alone, or PDF.",
    isGuarded: true,
    body: { [JSON_TYPE]: AttestBody },
    responses: [
      {
        status: 200,
        description: "The statement.",
        content: {
          [JSON_TYPE]: Attestation,
          [JOSE_TYPE]: Jws,
          [PDF_TYPE]: z
            .string()
            .meta({ description: "The statement as a document, with the JWS attached.", contentMediaType: PDF_TYPE }),
        },
        headers: named,
      },
      ...errorResponses(400, 404, 406, 409, 413, 415),
    ],
    examples: [
      { name: "court", summary: "For a court", body: json(request), response: exampleResponse(ATTESTED) },
      {
        name: "signed",
        summary: "The JWS alone",
        body: json(request),
        response: exampleResponse(ATTESTED.attestation, 200, JOSE_TYPE),
      },
      {
        name: "paper",
        summary: "As PDF",
        body: json({ ...request, audience: "seller" }),
        response: exampleResponse("%PDF-1.7\n", 200, PDF_TYPE),
      },
      {
        name: "unknown",
        summary: "No record",
        body: json({ ...request, document_id: "nothing" }),
        response: notFound("there is no record of this document"),
      },
    ],
  },
  {
    id: "keys",
    method: "get",
    path: JWKS_PATH,
    tag: "Operation",
    summary: "Signing keys",
    description:
      "Returns the public keys of bundles and statements as a JSON Web Key Set, the current key first, then " +
      "earlier keys.",
    isGuarded: false,
    responses: [
      {
        status: 200,
        description: "The keys.",
        content: { [JWKS_TYPE]: KeySet },
        headers: { "Cache-Control": "How long the keys may be cached." },
      },
      methodNotAllowed,
    ],
    examples: [{ name: "keys", summary: "One key", response: exampleResponse(PUBLISHED_KEYS, 200, JWKS_TYPE) }],
  },
];
