import { z } from "zod";
import { Problem } from "../proofs/answers.ts";
import { answered, PUBLISHED_KEYS } from "../proofs/examples.ts";
import { JWKS_PATH, JWKS_TYPE } from "../jwks.ts";
import { ALLOWED, JSON_TYPE, type Operation, PROBLEM_TYPE } from "./operation.ts";

const TAG = "Operation";
const METRICS_TYPE = "text/plain";
const Alive = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });
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
const Described = z
  .looseObject({ openapi: z.string().regex(/^3\.1\.\d+$/), info: z.looseObject({ title: z.string(), version: z.string() }), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });
const other = { status: 405, description: "It is asked with GET only.", content: { [PROBLEM_TYPE]: Problem }, headers: ALLOWED };
const ok = { name: "ok", summary: "All is well", answer: answered({ status: "ok" }) };

/** What supervisors of the process ask. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    id: "live",
    method: "get",
    path: "/livez",
    tag: TAG,
    summary: "Tell whether the process lives",
    description: "Alive is who answers.",
    isGuarded: false,
    answers: [{ status: 200, description: "It lives.", content: { [JSON_TYPE]: Alive } }, other],
    examples: [ok],
  },
  {
    id: "ready",
    method: "get",
    path: "/readyz",
    tag: TAG,
    summary: "Tell whether work can be taken",
    description: "Without a chain it is accepted, without a journal nothing is.",
    isGuarded: false,
    answers: [
      { status: 200, description: "It can.", content: { [JSON_TYPE]: Alive } },
      other,
      { status: 503, description: "The journal cannot be read.", content: { [PROBLEM_TYPE]: Problem }, headers: { "Retry-After": "Seconds after which to ask again." } },
    ],
    examples: [ok],
  },
  {
    id: "metrics",
    method: "get",
    path: "/metrics",
    tag: TAG,
    summary: "Tell the metrics",
    description: "In the text format of Prometheus, for the networks that may use the integrity-proof API.",
    isGuarded: false,
    answers: [
      { status: 200, description: "The metrics.", content: { [METRICS_TYPE]: z.string() } },
      { status: 403, description: "The caller's network does not allow this.", content: { [PROBLEM_TYPE]: Problem } },
      other,
    ],
    examples: [
      {
        name: "metrics",
        summary: "The first lines",
        answer: answered("# HELP process_open_fds Number of open file descriptors.\n# TYPE process_open_fds gauge\nprocess_open_fds 31\n", 200, METRICS_TYPE),
      },
    ],
  },
  {
    id: "keys",
    method: "get",
    path: JWKS_PATH,
    tag: TAG,
    summary: "Publish the keys that sign",
    description: "The public keys of bundles and statements as a JSON Web Key Set, the present one first and those before it.",
    isGuarded: false,
    answers: [{ status: 200, description: "The keys.", content: { [JWKS_TYPE]: KeySet }, headers: { "Cache-Control": "How long they may be kept." } }, other],
    examples: [{ name: "keys", summary: "One key", answer: answered(PUBLISHED_KEYS, 200, JWKS_TYPE) }],
  },
  {
    id: "document",
    method: "get",
    path: "/openapi.json",
    tag: TAG,
    summary: "Describe everything that can be asked",
    description: "This document.",
    isGuarded: false,
    answers: [{ status: 200, description: "An OpenAPI document.", content: { [JSON_TYPE]: Described }, headers: { ETag: "Names what it says." } }, other],
    examples: [
      {
        name: "document",
        summary: "With nothing in it",
        answer: answered({ openapi: "3.1.1", info: { title: "Sealbook", version: "0.1.0" }, servers: [], tags: [], paths: {}, components: {} }),
      },
    ],
  },
];
