import express, { type Express, type RequestHandler } from "express";
import { SealbookError } from "./errors.ts";
import { accessLog } from "./http/access-log.ts";
import { jwks, JWKS_PATH } from "./http/jwks.ts";
import { onlyMethods } from "./http/only-methods.ts";
import { type Attest, attestRouter } from "./http/proofs/attest-router.ts";
import { sendProblem } from "./http/proofs/problem.ts";
import { type ProofApiParts, proofRouter } from "./http/proofs/router.ts";
import { type RecordApiParts, recordRouter } from "./http/records/router.ts";
import { type ObserveRequest, requestMetrics } from "./http/request-metrics.ts";
import { dataHeaders } from "./http/security-headers.ts";
import type { Issuer } from "./domain/evidence/issuer.ts";
import type { Logger } from "./telemetry/logger.ts";

/** What the HTTP side is made of. */
export interface AppParts {
  readonly logger: Logger;
  readonly records: RecordApiParts;
  readonly proofs: ProofApiParts;
  readonly attest: Attest;
  readonly issuer: Pick<Issuer, "keys">;
  readonly metrics: RequestHandler;
  readonly observeRequest: ObserveRequest;
}

/** Mounts both APIs; does not listen. */
export function createApp({ logger, records, proofs, attest, issuer, metrics, observeRequest }: AppParts): Express {
  const app = express();
  app.disable("x-powered-by");
  // Nobody keeps answers that change with every block, and a digest of each costs as much as reading it.
  app.disable("etag");
  app.set("query parser", "simple");
  app.use(dataHeaders(), accessLog(logger), requestMetrics(observeRequest));
  app.use("/api/v1/recovery/attest", attestRouter(attest));
  app.use("/api/v1", proofRouter(proofs));
  app.use("/api", recordRouter(records));
  app.route(JWKS_PATH).get(jwks(() => issuer.keys())).all(onlyMethods("GET"));
  app.route("/metrics").get(metrics).all(onlyMethods("GET"));
  app.use(() => {
    throw new SealbookError("not_found", "there is nothing at this path");
  });
  app.use(sendProblem);
  return app;
}
