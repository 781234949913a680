import express, { type Express, type RequestHandler, Router } from "express";
import { SealbookError } from "../errors.ts";
import { type AuthenticationDeps, authenticate } from "../http/access/authenticate.ts";
import type { AccessConfig } from "../config/config.ts";
import type { NetworkList } from "../kit/network-list.ts";
import { hostCheck } from "../http/access/host-check.ts";
import { fromAllowedNetwork, noteSource } from "../http/access/source.ts";
import { urlLimit } from "../http/connection-limits.ts";
import { requestRate } from "../http/source-limits.ts";
import { type ExplorerDeps, explorerRouter } from "../explorer/routes.ts";
import { jwks, JWKS_PATH } from "../attestation/jwks.ts";
import { onlyMethods } from "../http/only-methods.ts";
import { openApiRouter } from "../http/openapi/router.ts";
import { type Attest, attestRouter } from "../attestation/routes.ts";
import { sendProblem } from "../http/problem.ts";
import { addProofRoutes, type ProofApiDeps } from "../proofs/routes.ts";
import { recordStoreRouter } from "../http/record-store/router.ts";
import { type OperationsRouteDeps, operationsRouter } from "../operations/routes.ts";
import { type RecordRouteDeps, recordRoutes } from "../records/routes.ts";
import { recoveryRouter } from "../recovery/routes.ts";
import type { RecoveryService } from "../recovery/service.ts";
import { type SessionRouteDeps, sessionRoutes } from "../sessions/routes.ts";
import { logRequests, type ObserveRequest } from "../http/request-log.ts";
import { dataHeaders, pageHeaders, tileSource } from "../http/security-headers.ts";
import type { Issuer } from "../attestation/issuer.ts";
import type { MapSettings } from "../panel/page.ts";
import { panelRouter } from "../panel/routes.ts";
import type { Logger } from "../kit/logger.ts";
import type { Metrics } from "../operations/metrics.ts";

/** Access to the integrity-proof API. */
export interface AccessDeps {
  /** Names of the server in requests. */
  readonly hosts: readonly string[];
  readonly networks: NetworkList;
  /** Their `X-Forwarded-For` is trusted. */
  readonly proxies: NetworkList;
  /** Small requests of a source in a second. */
  readonly requestRate: number;
  readonly authentication: AuthenticationDeps;
  /** Parts that need no authentication although the API does. */
  readonly open: AccessConfig["open"];
}

/** Everything that the routes use. */
export interface AppDeps {
  readonly logger: Logger;
  readonly version: string;
  readonly sessions: SessionRouteDeps;
  readonly records: RecordRouteDeps;
  readonly proofs: ProofApiDeps;
  readonly recovery: RecoveryService;
  readonly operations: OperationsRouteDeps;
  readonly explorer: ExplorerDeps;
  readonly access: AccessDeps;
  readonly attest: Attest;
  readonly issuer: Pick<Issuer, "keys">;
  readonly map: MapSettings;
  readonly metrics: Metrics;
  /** Webhook of the bot. */
  readonly telegram: { readonly path: string; readonly webhook: RequestHandler } | undefined;
  /** @throws SealbookError while no requests can be served */
  readonly ready: () => Promise<void>;
}

/** Mounts both APIs, the explorer and the panel; does not listen. */
export function createApp(deps: AppDeps): Express {
  const { logger, version, access, map, metrics, telegram } = deps;
  const app = express();
  app.disable("x-powered-by");
  // Responses change with every block, so clients do not cache them; a digest of each costs as much as reading it.
  app.disable("etag");
  app.set("query parser", "simple");
  // Only trusted proxies may set the address of a request.
  app.set("trust proxy", (address: string) => access.proxies.has(address));
  const observe: ObserveRequest = (labels, seconds) => metrics.httpRequests.observe(labels, seconds);
  app.use(logRequests(logger, observe), dataHeaders(), hostCheck(access.hosts), urlLimit());
  app.use(noteSource(access), requestRate(access.requestRate));
  const authenticated = authenticate(access.authentication);
  const unless = (part: AccessConfig["open"][number]): RequestHandler[] =>
    access.open.includes(part) ? [fromAllowedNetwork] : [fromAllowedNetwork, authenticated];
  app.use("/api/v1", integrityRouter(deps, [fromAllowedNetwork, authenticated]));
  app.use("/api", recordStoreRouter(new Map([...sessionRoutes(deps.sessions), ...recordRoutes(deps.records)])));
  // The data are public, but the queries go to the chain's node.
  app.use("/explorer/api", ...unless("explorer"), explorerRouter(deps.explorer));
  app.use(serviceRouter(deps, unless("metrics")));
  if (telegram !== undefined) app.use(telegram.path, telegram.webhook);
  app.use(openApiRouter(version, () => import("./openapi.ts")));
  app.use(panelRouter({ version, map }, pageHeaders(map.tiles && [tileSource(map.tiles.template)])));
  app.use(nothingHere, sendProblem);
  return app;
}

/** The integrity-proof API, below `/api/v1`. */
function integrityRouter({ proofs, recovery, operations, attest }: AppDeps, guards: readonly RequestHandler[]): Router {
  const router = Router();
  router.use(...guards);
  // Posts of proofs are the most frequent requests: their routes come first, and not in a router of their own.
  addProofRoutes(router, proofs);
  router.use("/recovery/attest", attestRouter(attest));
  router.use("/recovery", recoveryRouter(recovery));
  router.use(operationsRouter(operations), nothingHere, sendProblem);
  return router;
}

/** Public keys, metrics, liveness and readiness. */
function serviceRouter({ issuer, metrics, ready }: AppDeps, access: readonly RequestHandler[]): Router {
  const router = Router();
  router
    .route(JWKS_PATH)
    .get(jwks(() => issuer.keys()))
    .all(onlyMethods("GET"));
  router
    .route("/metrics")
    .get(...access, async (_request, response) => {
      response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    })
    .all(onlyMethods("GET"));
  // Liveness: the process responds. Readiness: the journal can be read, and the chain is not another one; without a
  // chain proofs are still accepted.
  router
    .route("/livez")
    .get((_request, response) => void response.json({ status: "ok" }))
    .all(onlyMethods("GET"));
  router
    .route("/readyz")
    .get(async (_request, response) => {
      await ready();
      response.json({ status: "ok" });
    })
    .all(onlyMethods("GET"));
  return router;
}

function nothingHere(): never {
  throw new SealbookError("not_found", "there is nothing at this path");
}
