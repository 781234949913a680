import { z } from "zod";
import { JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
import { Attestation, Jws } from "./responses.ts";
import { JOSE_TYPE, PDF_TYPE } from "./routes.ts";
import { AttestBody } from "./schemas.ts";
import { ALLOWED, PROBLEM_TYPE } from "../http/openapi/operation.ts";
import { Problem } from "../http/responses.ts";
import { JWKS_PATH, JWKS_TYPE } from "./jwks.ts";
import { answered, ATTESTED, CONTRACT, missing, PUBLISHED_KEYS, refused } from "../http/openapi/examples.ts";
import { refusals } from "../http/openapi/refusals.ts";

const json = (value: unknown) => ({ type: JSON_TYPE, value });
const question = { document_id: CONTRACT.document_id, audience: "court" };
const named = { "Content-Disposition": "The name that the statement's file is to have." };

const other = {
  status: 405,
  description: "It is asked with GET only.",
  content: { [PROBLEM_TYPE]: Problem },
  headers: ALLOWED,
};

const tooMany = "is one too many: send one of document_id, hash, verification_id";

/** Statements for third parties. */
const KeySet = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("OKP"),
        crv: z.literal("Ed25519"),
        x: z.string().regex(/^[\w-]{43}$/),
        kid: z.string(),
        use: z.literal("sig"),
        alg: z.literal("EdDSA"),
      }),
    ),
  })
  .meta({ id: "KeySet", description: "A JSON Web Key Set (RFC 7517, RFC 8037)." });

export const ATTEST_OPERATIONS: readonly Operation[] = [
  {
    id: "attest",
    method: "post",
    path: "/api/v1/recovery/attest",
    tag: "Recovery",
    summary: "Have a signed statement made",
    description:
      "States what is recorded of a document, of a hash or of a comparison: exactly one of them is named. Everything in it was checked against the chain before, and can be checked again by whoever gets it. By `Accept` it comes as JSON, as a JWS alone, or as PDF.",
    isGuarded: true,
    body: { [JSON_TYPE]: AttestBody },
    answers: [
      {
        status: 200,
        description: "The statement.",
        content: {
          [JSON_TYPE]: Attestation,
          [JOSE_TYPE]: Jws,
          [PDF_TYPE]: z
            .string()
            .meta({ description: "The statement for people, with the JWS attached.", contentMediaType: PDF_TYPE }),
        },
        headers: named,
      },
      ...refusals(400, 404, 406, 409, 413, 415),
    ],
    examples: [
      { name: "court", summary: "For a court", body: json(question), answer: answered(ATTESTED) },
      {
        name: "signed",
        summary: "The JWS alone",
        body: json(question),
        answer: answered(ATTESTED.attestation, 200, JOSE_TYPE),
      },
      {
        name: "paper",
        summary: "On paper",
        body: json({ ...question, audience: "seller" }),
        answer: answered("%PDF-1.7\n", 200, PDF_TYPE),
      },
      {
        name: "unknown",
        summary: "Nothing is recorded",
        body: json({ ...question, document_id: "nothing" }),
        answer: missing("there is no record of this document"),
      },
      {
        name: "both",
        summary: "Of two things at once",
        body: json({ ...question, hash: CONTRACT.hash }),
        answer: refused(400, "malformed", "The request is not valid", `document_id: ${tooMany}; hash: ${tooMany}`, [
          { path: "document_id", message: tooMany },
          { path: "hash", message: tooMany },
        ]),
      },
    ],
  },
  {
    id: "keys",
    method: "get",
    path: JWKS_PATH,
    tag: "Operation",
    summary: "Publish the keys that sign",
    description:
      "The public keys of bundles and statements as a JSON Web Key Set, the present one first and those before it.",
    isGuarded: false,
    answers: [
      {
        status: 200,
        description: "The keys.",
        content: { [JWKS_TYPE]: KeySet },
        headers: { "Cache-Control": "How long they may be kept." },
      },
      other,
    ],
    examples: [{ name: "keys", summary: "One key", answer: answered(PUBLISHED_KEYS, 200, JWKS_TYPE) }],
  },
];
