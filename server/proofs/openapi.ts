import { z } from "zod";
import { type OperationResponse, JSON_TYPE, type Operation, errorResponses } from "../http/openapi/operation.ts";
import { IdempotencyHeader } from "../http/idempotency-key.ts";
import bundle from "./bundle/bundle-example.json" with { type: "json" };
import {
  AnchoredProofs,
  BatchPage,
  BatchResponse,
  Bundle,
  FoundProof,
  ProofResponse,
  Verification,
} from "./responses.ts";
import {
  exampleResponse,
  BATCH_RESPONSE,
  BATCH_FIRST_PAGE,
  CONFIRMED,
  CONTRACT,
  EXAMPLE_IDS,
  notFound,
  ORDERS,
  VERIFIED,
} from "../http/openapi/examples.ts";
import { BatchBody, BatchId, HashQuery, PageQuery, ProofBody, ProofQuery, TransactionHash } from "./schemas.ts";

const TAG = "Proofs";
const REPEATED =
  "A repetition with the same `Idempotency-Key` has the same response for 24 hours. A timestamp that it leaves out " +
  "is the time of the first request.";
const UNKNOWN = "ab".repeat(32);

const location = { Location: "The path of the proof or batch." };
const retry = { "Retry-After": "Seconds until the next poll." };

/** The responses to a submission. */
const accepted = (schema: z.ZodType): OperationResponse[] => [
  { status: 200, description: "The proof existed already.", content: { [JSON_TYPE]: schema } },
  { status: 201, description: "The proof is confirmed.", content: { [JSON_TYPE]: schema }, headers: location },
  {
    status: 202,
    description: "The submission is accepted; its confirmation is pending.",
    content: { [JSON_TYPE]: schema },
    headers: { ...location, ...retry },
  },
];
const found = (schema: z.ZodType, description: string): OperationResponse => ({
  status: 200,
  description,
  content: { [JSON_TYPE]: schema },
});
const json = (value: unknown) => ({ type: JSON_TYPE, value });
const notRecorded = { valid: false, message: "No proof found for this hash" };

/** The integrity-proof API. */
export const PROOF_OPERATIONS: readonly Operation[] = [
  {
    id: "submitProof",
    method: "post",
    path: "/api/v1/proof",
    tag: TAG,
    summary: "Submit a document",
    description:
      "Anchors the hash of a document. Only a hash goes on chain. A repetition with the same timestamp returns the " +
      "same proof. " +
      REPEATED,
    isGuarded: true,
    parameters: { header: IdempotencyHeader },
    body: { [JSON_TYPE]: ProofBody },
    responses: [...accepted(ProofResponse), ...errorResponses(400, 413, 415, 422)],
    examples: [
      { name: "contract", summary: "A contract", body: json(CONTRACT), response: exampleResponse(CONFIRMED, 201) },
      {
        name: "again",
        summary: "A repetition",
        body: json({ ...CONTRACT, hash: `0x${CONTRACT.hash.toUpperCase()}` }),
        response: exampleResponse(CONFIRMED),
      },
    ],
  },
  {
    id: "submitProofs",
    method: "post",
    path: "/api/v1/proof/batch",
    tag: TAG,
    summary: "Submit a batch of documents",
    description: `Accepts up to 1000 documents that share one transaction, all or none. ${REPEATED}`,
    isGuarded: true,
    parameters: { header: IdempotencyHeader },
    body: { [JSON_TYPE]: BatchBody },
    responses: [...accepted(BatchResponse), ...errorResponses(400, 413, 415, 422)],
    examples: [
      {
        name: "orders",
        summary: "Two orders",
        body: json({ documents: ORDERS }),
        response: exampleResponse(BATCH_RESPONSE, 201),
      },
    ],
  },
  {
    id: "findBatch",
    method: "get",
    path: "/api/v1/proof/batch/{id}",
    tag: TAG,
    summary: "Find a batch",
    description: "Returns the proofs under a root, page by page.",
    isGuarded: true,
    parameters: { path: z.object({ id: BatchId }), query: PageQuery },
    responses: [found(BatchPage, "The batch, and a page of its proofs."), ...errorResponses(400, 404)],
    examples: [
      {
        name: "page",
        summary: "The first page",
        path: { id: EXAMPLE_IDS.batch },
        query: { limit: 1, cursor: 0 },
        response: exampleResponse(BATCH_FIRST_PAGE),
      },
      {
        name: "unknown",
        summary: "Not found",
        path: { id: UNKNOWN },
        response: notFound(`there is no batch ${UNKNOWN}`),
      },
    ],
  },
  {
    id: "findByTransaction",
    method: "get",
    path: "/api/v1/proof/tx/{txhash}",
    tag: TAG,
    summary: "Find the proofs of a transaction",
    description: "Returns one proof, or a page of the proofs of a batch.",
    isGuarded: true,
    parameters: { path: z.object({ txhash: TransactionHash }), query: PageQuery },
    responses: [found(AnchoredProofs, "The proofs of the transaction."), ...errorResponses(400, 404)],
    examples: [
      {
        name: "one",
        summary: "A single document",
        path: { txhash: EXAMPLE_IDS.transaction },
        response: exampleResponse(CONFIRMED),
      },
      {
        name: "unknown",
        summary: "Not found",
        path: { txhash: `0x${UNKNOWN}` },
        response: notFound(`no proof was anchored by transaction 0x${UNKNOWN}`),
      },
    ],
  },
  {
    id: "findProof",
    method: "get",
    path: "/api/v1/proof/{id}",
    tag: TAG,
    summary: "Find a proof",
    description:
      "Finds a proof by its id, or the newest proof of a document with a page of the older ones as its history. A " +
      "bundle is a portable proof, which can be checked without this server; only confirmed proofs have one.",
    isGuarded: true,
    parameters: {
      path: z.object({ id: z.string().meta({ description: "The id of a proof or of a document." }) }),
      query: ProofQuery,
    },
    responses: [
      { ...found(z.union([FoundProof, Bundle]), "The proof, or the bundle of the newest proof."), headers: retry },
      ...errorResponses(400, 404, 409),
    ],
    examples: [
      { name: "id", summary: "By id", path: { id: EXAMPLE_IDS.proof }, response: exampleResponse(CONFIRMED) },
      {
        name: "document",
        summary: "By document",
        path: { id: CONTRACT.document_id },
        response: exampleResponse(CONFIRMED),
      },
      {
        name: "bundle",
        summary: "As a bundle",
        path: { id: CONTRACT.document_id },
        query: { format: "bundle" },
        response: exampleResponse(bundle),
      },
      {
        name: "unknown",
        summary: "Not found",
        path: { id: "nothing" },
        response: notFound('there is no proof with the id, and no document, "nothing"'),
      },
    ],
  },
  {
    id: "verifyHash",
    method: "get",
    path: "/api/v1/verify",
    tag: TAG,
    summary: "Verify a hash",
    description: "Returns whether a document with this hash has a proof, and its time.",
    isGuarded: true,
    parameters: { query: HashQuery },
    responses: [found(Verification, "The result of the verification."), ...errorResponses(400)],
    examples: [
      { name: "proved", summary: "Recorded", query: { hash: CONTRACT.hash }, response: exampleResponse(VERIFIED) },
      {
        name: "unproved",
        summary: "Not recorded",
        query: { document_hash: UNKNOWN },
        response: exampleResponse(notRecorded),
      },
    ],
  },
  {
    id: "verifyPostedHash",
    method: "post",
    path: "/api/v1/verify",
    tag: TAG,
    summary: "Verify a hash with POST",
    description: "The same as GET; it records nothing.",
    isGuarded: true,
    body: { [JSON_TYPE]: HashQuery },
    responses: [found(Verification, "The result of the verification."), ...errorResponses(400, 413, 415)],
    examples: [
      {
        name: "proved",
        summary: "Recorded",
        body: json({ document_hash: CONTRACT.hash }),
        response: exampleResponse(VERIFIED),
      },
      {
        name: "unproved",
        summary: "Not recorded",
        body: json({ document_hash: UNKNOWN }),
        response: exampleResponse(notRecorded),
      },
    ],
  },
];
