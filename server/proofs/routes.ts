import type { Request, Response, Router } from "express";
import { sendJson } from "../http/json-response.ts";
import type { BundleService } from "./bundle/bundle-service.ts";
import type { Batch, FoundProofs, ProofService } from "./service.ts";
import type { Proof } from "./proof.ts";
import type { ProofVerifier } from "./verifier.ts";
import { SealbookError } from "../errors.ts";
import { MAX_TREE_SIZE } from "../journal/integrity/merkle.ts";
import { authenticatedCaller } from "../http/access/caller.ts";
import { limitList, parseInput } from "../http/errors.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { type KeyedCall, keyedCall } from "../journal/keyed-calls.ts";
import { jsonBody } from "../http/json-body.ts";
import { heavyRequests } from "../http/source-limits.ts";
import { onlyMethods } from "../http/only-methods.ts";
import {
  batchPath,
  proofId,
  proofPath,
  type ProofLocation,
  toBatch,
  toFoundProof,
  toProofResponse,
  toProofResponses,
  toVerificationResponse,
} from "./response-mapping.ts";
import type { BatchPage, BatchResponse } from "./responses.ts";
import { BatchBody, BatchId, hashOf, HashQuery, PageQuery, ProofBody, ProofQuery, TransactionHash } from "./schemas.ts";

/** Maximum bytes of a request body. */
const MAX_BODY = 64 * 1024;
/** Maximum bytes of the body of a bulk request. */
const MAX_BATCH_BODY = 2 * 1024 * 1024;
/** Bulk requests of one source that run at a time; a batch waits for its block. */
const BULKS_PER_SOURCE = 2;
/** `Retry-After` of a pending proof. */
const PENDING_RETRY_SECONDS = 3;

/** Dependencies of the proof routes. */
export interface ProofApiDeps {
  readonly proofs: ProofService;
  readonly verifier: ProofVerifier;
  readonly bundles: BundleService;
  /** Set once the server listens: links can point to the server itself. */
  readonly location: () => ProofLocation;
}

/** Adds the routes for proofs and verification to the router of `/api/v1`. */
export function addProofRoutes(router: Router, { proofs, verifier, bundles, location }: ProofApiDeps): void {
  const json = jsonBody(MAX_BODY);
  const bulks = heavyRequests(BULKS_PER_SOURCE);
  // Reads of the journal: they run on the thread one after the other anyway.
  const reads = heavyRequests(1);
  const bulk = jsonBody(MAX_BATCH_BODY, "send the documents in several batches");

  const sendProofs = (response: Response, found: FoundProofs): void => {
    if (!isConfirmed(found.newest)) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
    sendJson(response, toFoundProof(found, location()));
  };

  const sendBundle = async (response: Response, proof: Proof): Promise<void> => {
    if (!isConfirmed(proof)) {
      throw new SealbookError("conflict", "the proof is not confirmed yet, and has no bundle before that", {
        retryAfterSeconds: PENDING_RETRY_SECONDS,
      });
    }
    const bundle = await bundles.bundleFor(proof);
    if (bundle === undefined)
      throw new SealbookError("conflict", "the chain does not have the proof's anchor as the journal has it");
    // The text is signed and must be sent unchanged.
    response
      .attachment(`${proofId(proof)}.bundle.json`)
      .type("application/json")
      .send(bundle);
  };

  const sendBatch = (response: Response, { anchor, proofs: page, next }: Batch): void => {
    const confirmed = anchor.outcome.state === "confirmed";
    if (!confirmed) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
    sendJson(response, {
      status: confirmed ? "confirmed" : "pending",
      batch: toBatch(anchor),
      proofs: [...toProofResponses(page, location())],
      ...(next === undefined ? {} : { next: String(next) }),
    } satisfies BatchPage);
  };

  const sendVerification = async (response: Response, hash: Uint8Array): Promise<void> => {
    sendJson(response, toVerificationResponse(await verifier.verify(hash)));
  };

  router
    .route("/proof")
    .post(json, async (request: Request, response: Response) => {
      const { proof, isNew } = await proofs.submit(parseInput(ProofBody, request.body), keyedCallOf(request));
      const confirmed = isConfirmed(proof);
      response.status(confirmed ? (isNew ? 201 : 200) : 202);
      if (isNew || !confirmed) response.location(proofPath(proof));
      if (!confirmed) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
      sendJson(response, toProofResponse(proof, location()));
    })
    .all(onlyMethods("POST"));

  router
    .route("/proof/batch")
    .post(bulks, bulk, async (request: Request, response: Response) => {
      limitList(request.body, "documents", MAX_TREE_SIZE, "documents");
      const { documents } = parseInput(BatchBody, request.body);
      const { proofs: submitted, batch, isNew } = await proofs.submitTogether(documents, keyedCallOf(request));
      const confirmed = submitted.every(isConfirmed);
      response.status(confirmed ? (isNew ? 201 : 200) : 202);
      if (batch !== undefined && (isNew || !confirmed)) response.location(batchPath(batch));
      if (!confirmed) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
      sendJson(response, {
        status: confirmed ? "confirmed" : "pending",
        batch: batch === undefined ? null : toBatch(batch),
        proofs: [...toProofResponses(submitted, location())],
      } satisfies BatchResponse);
    })
    .all((request, response, next) => {
      // A GET request is one of /proof/:id, for a document with the id "batch".
      if (["GET", "HEAD"].includes(request.method)) next();
      else onlyMethods("POST")(request, response, next);
    });

  router
    .route("/proof/batch/:id")
    .get(reads, async (request: Request<{ id: string }>, response: Response) => {
      const { id } = request.params;
      const { cursor, limit } = parseInput(PageQuery, request.query, "query");
      const found = await proofs.findByRoot(parseInput(BatchId, id, "id"), cursor, limit);
      if (found === undefined) throw new SealbookError("not_found", `there is no batch ${id}`);
      sendBatch(response, found);
    })
    .all(onlyMethods("GET"));

  router
    .route("/proof/tx/:txhash")
    .get(reads, async (request: Request<{ txhash: string }>, response: Response) => {
      const { txhash } = request.params;
      const { cursor, limit } = parseInput(PageQuery, request.query, "query");
      const found = await proofs.findByTransaction(parseInput(TransactionHash, txhash, "txhash"), cursor, limit);
      if (found === undefined) throw new SealbookError("not_found", `no proof was anchored by transaction ${txhash}`);
      if (found.anchor.size > 0) sendBatch(response, found);
      else {
        const [newest, ...history] = found.proofs.toReversed();
        if (newest === undefined) throw new SealbookError("not_found", `transaction ${txhash} anchored nothing`);
        sendProofs(response, { newest, history, next: undefined });
      }
    })
    .all(onlyMethods("GET"));

  router
    .route("/proof/:id")
    .get(reads, async (request: Request<{ id: string }>, response: Response) => {
      const { id } = request.params;
      const { format, ...page } = parseInput(ProofQuery, request.query, "query");
      const none = `there is no proof with the id, and no document, "${id}"`;
      if (format === "bundle") {
        const newest = await proofs.findVerified(id);
        if (newest === undefined) throw new SealbookError("not_found", none);
        await sendBundle(response, newest);
        return;
      }
      const found = await proofs.find(id, page);
      if (found === undefined) throw new SealbookError("not_found", none);
      sendProofs(response, found);
    })
    .all(onlyMethods("GET"));

  router
    .route("/verify")
    .get(async (request: Request, response: Response) => {
      await sendVerification(response, hashOf(parseInput(HashQuery, request.query, "query")));
    })
    .post(json, async (request: Request, response: Response) => {
      await sendVerification(response, hashOf(parseInput(HashQuery, request.body)));
    })
    .all(onlyMethods("GET", "POST"));
}

/** Returns the call of a request with an idempotency key. */
function keyedCallOf(request: Request): KeyedCall | undefined {
  const key = idempotencyKeyOf(request);
  const { kind, id } = authenticatedCaller(request) ?? { kind: "source", id: "" };
  // Without authentication a client may have another network address when it repeats a call.
  return key === undefined ? undefined : keyedCall(`${kind} ${id}`, key, [request.path, request.body]);
}

function isConfirmed({ outcome }: Proof): boolean {
  return outcome.state === "confirmed";
}
