import type { RequestHandler } from "express";
import { isPublicCaller } from "../http/access/caller.ts";
import { serve, type ServedRoute } from "../http/serve.ts";
import { heavyRequests } from "../http/source-limits.ts";
import { hex } from "../kit/bytes.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";
import { verifyHash, verifyPostedHash } from "./api.ts";
import { toVerificationResponse, toVerifications } from "./response-mapping.ts";
import type { ProofVerifier, Verification } from "./verifier.ts";

/** The limit of a list of hashes. */
const LIST_BODY = { bytes: 128 * 1024, advice: "send the hashes in several requests" };
/** The largest body of a verification that is no heavy request: a dozen hashes. */
const SMALL_BODY_BYTES = 1_024;

/** The routes for verification, which can be open to callers without credentials. */
export function verificationRoutes(verifier: ProofVerifier): ServedRoute[] {
  return [
    serve(verifyHash)(async ({ query }) => toVerificationResponse(await verifier.verify(query))),
    serve(verifyPostedHash, {
      admit: ofLargeBodies(heavyRequests(1)),
      size: LIST_BODY,
      list: { name: "hashes", most: MAX_TREE_SIZE },
    })(async ({ body }, request, response) => {
      if ("hash" in body) return toVerificationResponse(await verifier.verify(body.hash));
      const results: Verification[] = [];
      const known = new Map<string, Verification>();
      const check = verifier.begin();
      for (const hash of body.hashes) {
        // Nobody waits for the rest.
        if (response.destroyed) break;
        const key = hex(hash);
        const result = known.get(key) ?? (await verifier.verify(hash, check));
        known.set(key, result);
        results.push(result);
      }
      return toVerifications(results, !isPublicCaller(request));
    }),
  ];
}

/** Applies a limit of heavy requests to large bodies. */
function ofLargeBodies(limit: RequestHandler): RequestHandler {
  return (request, response, next) =>
    Number(request.get("Content-Length") ?? Infinity) <= SMALL_BODY_BYTES ? next() : limit(request, response, next);
}
