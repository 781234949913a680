import { hash } from "node:crypto";
import type { Request, Response } from "express";
import { SealbookError } from "../errors.ts";
import { authenticatedCaller } from "../http/access/caller.ts";
import { sendJson } from "../http/json-response.ts";
import { serve, type ServedRoute, serveRaw } from "../http/serve.ts";
import { heavyRequests } from "../http/source-limits.ts";
import { type KeyedCall, keyedCall } from "../journal/keyed-calls.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";
import { findBatch, findByTransaction, findProof, submitProof, submitProofs } from "./api.ts";
import type { BundleService } from "./bundle.ts";
import type { Proof } from "./proof.ts";
import {
  batchPath,
  proofId,
  proofPath,
  type ProofLocation,
  toBatch,
  toBatchPage,
  toFoundProof,
  toProofResponse,
  toProofResponses,
} from "./response-mapping.ts";
import type { ProofService } from "./service.ts";

/** The limit of a bulk request. */
const BULK_BODY = { bytes: 2 * 1024 * 1024, advice: "send the documents in several batches" };
/** Bulk requests of one source that run at a time; a batch waits for its block. */
const BULKS_PER_SOURCE = 2;
/** `Retry-After` of a pending proof. */
const PENDING_RETRY_SECONDS = 3;

/** Dependencies of the proof routes. */
export interface ProofApiDeps {
  readonly proofs: ProofService;
  readonly bundles: BundleService;
  /** Set once the server listens: links can point to the server itself. */
  readonly location: () => ProofLocation;
}

/** The routes for proofs. */
export function proofRoutes({ proofs, bundles, location }: ProofApiDeps): ServedRoute[] {
  const bulks = heavyRequests(BULKS_PER_SOURCE);
  // Reads of the journal: they run on the thread one after the other anyway.
  const reads = heavyRequests(1);

  return [
    serve(submitProof)(async ({ body, key }, request, response) => {
      const { proof, isNew } = await proofs.submit(body, keyedCallOf(request, "/proof", key));
      respondWith(response, isConfirmed(proof), isNew, proofPath(proof));
      return toProofResponse(proof, location());
    }),

    serve(submitProofs, {
      admit: bulks,
      size: BULK_BODY,
      list: { name: "documents", most: MAX_TREE_SIZE },
    })(async ({ body: { documents }, key }, request, response) => {
      const call = keyedCallOf(request, "/proof/batch", key);
      const { proofs: submitted, batch, isNew } = await proofs.submitTogether(documents, call);
      const confirmed = submitted.every(isConfirmed);
      respondWith(response, confirmed, isNew, batch && batchPath(batch));
      return {
        status: confirmed ? "confirmed" : "pending",
        batch: batch === undefined ? null : toBatch(batch),
        proofs: [...toProofResponses(submitted, location())],
      };
    }),

    serve(findBatch, { admit: reads })(async ({ params: { id }, query: { cursor, limit } }, request, response) => {
      const found = await proofs.findByRoot(id, cursor, limit);
      if (found === undefined) throw new SealbookError("not_found", `there is no batch ${request.params["id"]}`);
      return polled(response, toBatchPage(found, location()));
    }),

    serve(findByTransaction, { admit: reads })(
      async ({ params: { txhash }, query: { cursor, limit } }, request, response) => {
        const found = await proofs.findByTransaction(txhash, cursor, limit);
        const none = `no proof was anchored by transaction ${request.params["txhash"]}`;
        if (found === undefined) throw new SealbookError("not_found", none);
        if (found.anchor.size > 0) return polled(response, toBatchPage(found, location()));
        const [newest, ...history] = found.proofs.toReversed();
        if (newest === undefined) throw new SealbookError("not_found", none);
        return polled(response, toFoundProof({ newest, history, next: undefined }, location()));
      },
    ),

    serveRaw(findProof, { admit: reads })(async ({ params: { id }, query }, _request, response) => {
      const { format, ...page } = query;
      const none = `there is no proof with the id, and no document, "${id}"`;
      if (format === "bundle") {
        const newest = await proofs.findVerified(id);
        if (newest === undefined) throw new SealbookError("not_found", none);
        await sendBundle(response, newest, bundles);
        return;
      }
      const found = await proofs.find(id, page);
      if (found === undefined) throw new SealbookError("not_found", none);
      sendJson(response, polled(response, toFoundProof(found, location())));
    }),
  ];
}

/** Sets the status of a submission. */
function respondWith(response: Response, confirmed: boolean, isNew: boolean, path: string | undefined): void {
  response.status(confirmed ? (isNew ? 201 : 200) : 202);
  if (path !== undefined && (isNew || !confirmed)) response.location(path);
  if (!confirmed) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
}

function polled<T extends { readonly status: "confirmed" | "pending" }>(response: Response, result: T): T {
  if (result.status === "pending") response.set("Retry-After", String(PENDING_RETRY_SECONDS));
  return result;
}

async function sendBundle(response: Response, proof: Proof, bundles: BundleService): Promise<void> {
  if (!isConfirmed(proof)) {
    throw new SealbookError("conflict", "the proof is not confirmed yet, and has no bundle before that", {
      retryAfterSeconds: PENDING_RETRY_SECONDS,
    });
  }
  const bundle = await bundles.bundleFor(proof);
  if (bundle === undefined)
    throw new SealbookError("conflict", "the chain does not have the proof's anchor as the journal has it");
  // The text is signed and must be sent unchanged; it is the same as long as key and evidence are.
  response
    // Weak, because it is the same in each encoding.
    .set({ ETag: `W/"${hash("sha256", bundle, "base64url")}"`, "Cache-Control": "private, no-cache" })
    .vary("Accept-Encoding")
    .attachment(`${proofId(proof)}.bundle.json`)
    .type("application/json")
    .send(bundle);
}

/** Returns the call of a request with an idempotency key. */
function keyedCallOf(request: Request, route: string, key: string | undefined): KeyedCall | undefined {
  if (key === undefined) return;
  const { kind, id } = authenticatedCaller(request) ?? { kind: "source", id: "" };
  // Without authentication a client may have another network address when it repeats a call.
  return keyedCall(`${kind} ${id}`, key, [route, request.body]);
}

function isConfirmed({ outcome }: Proof): boolean {
  return outcome.state === "confirmed";
}
