import { z } from "zod";
import { type Answer, JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
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
  answered,
  BATCH_ANSWER,
  BATCH_FIRST_PAGE,
  CONFIRMED,
  CONTRACT,
  EXAMPLE_IDS,
  missing,
  ORDERS,
  refused,
  VERIFIED,
} from "../http/openapi/examples.ts";
import { refusals } from "../http/openapi/refusals.ts";
import { BatchBody, BatchId, HashQuery, PageQuery, ProofBody, ProofQuery, TransactionHash } from "./schemas.ts";

const TAG = "Proofs";
const UNKNOWN = "ab".repeat(32);

const location = { Location: "Where it is found from now on." };
const retry = { "Retry-After": "Seconds after which asking again is worth it." };

/** How something is answered that is to be anchored. */
const accepted = (schema: z.ZodType): Answer[] => [
  { status: 200, description: "It was on chain already.", content: { [JSON_TYPE]: schema } },
  { status: 201, description: "It is on chain.", content: { [JSON_TYPE]: schema }, headers: location },
  {
    status: 202,
    description: "It was accepted and will be on chain.",
    content: { [JSON_TYPE]: schema },
    headers: { ...location, ...retry },
  },
];
const found = (schema: z.ZodType, description: string): Answer => ({
  status: 200,
  description,
  content: { [JSON_TYPE]: schema },
});
const json = (value: unknown) => ({ type: JSON_TYPE, value });

const noHash = refused(400, "malformed", "The request is not valid", "document_hash: is missing", [
  { path: "document_hash", message: "is missing" },
]);
const unproved = { valid: false, message: "No proof found for this hash" };

/** The integrity-proof API. */
export const PROOF_OPERATIONS: readonly Operation[] = [
  {
    id: "submitProof",
    method: "post",
    path: "/api/v1/proof",
    tag: TAG,
    summary: "Have a document proved",
    description:
      "Takes the hash of a document and anchors it. Only a hash goes on chain. Sending the same again, with the same time, is answered with the same proof.",
    isGuarded: true,
    body: { [JSON_TYPE]: ProofBody },
    answers: [...accepted(ProofResponse), ...refusals(400, 413, 415)],
    examples: [
      { name: "contract", summary: "A contract", body: json(CONTRACT), answer: answered(CONFIRMED, 201) },
      {
        name: "again",
        summary: "The same once more",
        body: json({ ...CONTRACT, hash: `0x${CONTRACT.hash.toUpperCase()}` }),
        answer: answered(CONFIRMED),
      },
    ],
  },
  {
    id: "submitProofs",
    method: "post",
    path: "/api/v1/proof/batch",
    tag: TAG,
    summary: "Have many documents proved at once",
    description: "Takes up to 1000 documents, which share one transaction: all of them are accepted, or none.",
    isGuarded: true,
    body: { [JSON_TYPE]: BatchBody },
    answers: [...accepted(BatchResponse), ...refusals(400, 413, 415)],
    examples: [
      { name: "orders", summary: "Two orders", body: json({ documents: ORDERS }), answer: answered(BATCH_ANSWER, 201) },
    ],
  },
  {
    id: "findBatch",
    method: "get",
    path: "/api/v1/proof/batch/{id}",
    tag: TAG,
    summary: "Find what was anchored together",
    description: "The proofs that one root stands for, page by page.",
    isGuarded: true,
    parameters: { path: z.object({ id: BatchId }), query: PageQuery },
    answers: [found(BatchPage, "The batch, and a page of its proofs."), ...refusals(400, 404)],
    examples: [
      {
        name: "page",
        summary: "The first page",
        path: { id: EXAMPLE_IDS.batch },
        query: { limit: 1, cursor: 0 },
        answer: answered(BATCH_FIRST_PAGE),
      },
      {
        name: "unknown",
        summary: "There is none",
        path: { id: UNKNOWN },
        answer: missing(`there is no batch ${UNKNOWN}`),
      },
    ],
  },
  {
    id: "findByTransaction",
    method: "get",
    path: "/api/v1/proof/tx/{txhash}",
    tag: TAG,
    summary: "Find what a transaction anchored",
    description: "One proof, or a page of the proofs of a batch.",
    isGuarded: true,
    parameters: { path: z.object({ txhash: TransactionHash }), query: PageQuery },
    answers: [found(AnchoredProofs, "What the transaction anchored."), ...refusals(400, 404)],
    examples: [
      {
        name: "one",
        summary: "A single document",
        path: { txhash: EXAMPLE_IDS.transaction },
        answer: answered(CONFIRMED),
      },
      {
        name: "unknown",
        summary: "There is none",
        path: { txhash: `0x${UNKNOWN}` },
        answer: missing(`no proof was anchored by transaction 0x${UNKNOWN}`),
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
      "By its id, else by what the document is called: then the newest one, with the older ones as its history. As a bundle it can be taken away and checked without this server; there is none before it is confirmed.",
    isGuarded: true,
    parameters: {
      path: z.object({ id: z.string().meta({ description: "A proof's id, or a document's." }) }),
      query: ProofQuery,
    },
    answers: [
      { ...found(z.union([FoundProof, Bundle]), "The proof, or the bundle of the newest one."), headers: retry },
      ...refusals(400, 404, 409),
    ],
    examples: [
      { name: "id", summary: "By its id", path: { id: EXAMPLE_IDS.proof }, answer: answered(CONFIRMED) },
      { name: "document", summary: "By its document", path: { id: CONTRACT.document_id }, answer: answered(CONFIRMED) },
      {
        name: "bundle",
        summary: "To take away",
        path: { id: CONTRACT.document_id },
        query: { format: "bundle" },
        answer: answered(bundle),
      },
      {
        name: "unknown",
        summary: "There is none",
        path: { id: "nothing" },
        answer: missing('there is no proof with the id, and no document, "nothing"'),
      },
    ],
  },
  {
    id: "verifyHash",
    method: "get",
    path: "/api/v1/verify",
    tag: TAG,
    summary: "Check a hash",
    description: "Whether a document with this hash was recorded, and when.",
    isGuarded: true,
    parameters: { query: HashQuery },
    answers: [found(Verification, "Whether there is a proof."), ...refusals(400)],
    examples: [
      { name: "proved", summary: "It was recorded", query: { hash: CONTRACT.hash }, answer: answered(VERIFIED) },
      { name: "unproved", summary: "It was not", query: { document_hash: UNKNOWN }, answer: answered(unproved) },
    ],
  },
  {
    id: "verifyPostedHash",
    method: "post",
    path: "/api/v1/verify",
    tag: TAG,
    summary: "Check a hash that is posted",
    description: "The same as a GET; nothing is recorded.",
    isGuarded: true,
    body: { [JSON_TYPE]: HashQuery },
    answers: [found(Verification, "Whether there is a proof."), ...refusals(400, 413, 415)],
    examples: [
      {
        name: "proved",
        summary: "It was recorded",
        body: json({ document_hash: CONTRACT.hash }),
        answer: answered(VERIFIED),
      },
      { name: "unproved", summary: "It was not", body: json({ document_hash: UNKNOWN }), answer: answered(unproved) },
      { name: "nothing", summary: "Nothing is asked", body: json({}), answer: noHash },
    ],
  },
];
