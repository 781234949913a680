import express, { type Express, type RequestHandler, Router } from "express";
import { SealbookError } from "../errors.ts";
import { type AuthenticationDeps, authenticate } from "../http/access/authenticate.ts";
import type { NetworkList } from "../kit/network-list.ts";
import { sourceNetwork } from "../http/access/source-network.ts";
import { accessLog } from "../http/access-log.ts";
import { urlLimit } from "../http/connection-limits.ts";
import { type ExplorerDeps, explorerRouter } from "../explorer/routes.ts";
import { jwks, JWKS_PATH } from "../attestation/jwks.ts";
import { onlyMethods } from "../http/only-methods.ts";
import { openApiRouter } from "../http/openapi/router.ts";
import { type Attest, attestRouter } from "../attestation/routes.ts";
import { sendProblem } from "../http/problem.ts";
import { type ProofApiDeps, proofRouter } from "../proofs/routes.ts";
import { recordStoreRouter } from "../http/record-store/router.ts";
import { type OperationsRouteDeps, operationsRouter } from "../operations/routes.ts";
import { type RecordRouteDeps, recordRoutes } from "../records/routes.ts";
import { recoveryRouter } from "../recovery/routes.ts";
import type { RecoveryService } from "../recovery/service.ts";
import { type SessionRouteDeps, sessionRoutes } from "../sessions/routes.ts";
import { type ObserveRequest, requestMetrics } from "../http/request-metrics.ts";
import { dataHeaders, pageHeaders } from "../http/security-headers.ts";
import type { Issuer } from "../proofs/bundle/issuer.ts";
import type { MapSettings } from "../panel/page.ts";
import { panelRouter } from "../panel/routes.ts";
import { tileSource } from "../panel/tile-source.ts";
import type { Logger } from "../kit/logger.ts";

/** Who may use the integrity-proof API. */
export interface AccessDeps {
  readonly networks: NetworkList;
  /** Whose word on the address of a caller counts. */
  readonly proxies: NetworkList;
  readonly authentication: AuthenticationDeps;
}

/** What the HTTP side is made of. */
export interface AppDeps {
  readonly logger: Logger;
  readonly version: string;
  readonly records: SessionRouteDeps & RecordRouteDeps;
  readonly proofs: ProofApiDeps;
  readonly recovery: RecoveryService;
  readonly operations: OperationsRouteDeps;
  readonly explorer: ExplorerDeps;
  readonly access: AccessDeps;
  readonly attest: Attest;
  readonly issuer: Pick<Issuer, "keys">;
  readonly map: MapSettings;
  readonly metrics: RequestHandler;
  /** What Telegram posts to, and where. */
  readonly telegram: { readonly path: string; readonly webhook: RequestHandler } | undefined;
  /** @throws when no work can be taken now */
  readonly ready: () => Promise<void>;
  readonly observeRequest: ObserveRequest;
}

/** Mounts both APIs; does not listen. */
export function createApp(deps: AppDeps): Express {
  const {
    logger,
    version,
    records,
    proofs,
    recovery,
    operations,
    explorer,
    attest,
    issuer,
    access,
    map,
    metrics,
    telegram,
    ready,
    observeRequest,
  } = deps;
  const app = express();
  app.disable("x-powered-by");
  // Nobody keeps answers that change with every block, and a digest of each costs as much as reading it.
  app.disable("etag");
  app.set("query parser", "simple");
  // Of what a caller says of its own address nothing counts but what a proxy of ours has added.
  app.set("trust proxy", (address: string) => access.proxies.has(address));
  app.use(dataHeaders(), accessLog(logger), requestMetrics(observeRequest), urlLimit());
  const fromInside = sourceNetwork(access.networks);
  app.use("/api/v1", fromInside, authenticate(access.authentication));
  const integrity = Router();
  integrity.use("/recovery/attest", attestRouter(attest));
  integrity.use("/recovery", recoveryRouter(recovery));
  integrity.use(proofRouter(proofs), operationsRouter(operations), nothingHere, sendProblem);
  app.use("/api/v1", integrity);
  app.use("/api", recordStoreRouter(new Map([...sessionRoutes(records), ...recordRoutes(records)])));
  // What the chain shows is shown without a key, but to the same networks: each question is one for its node.
  app.use("/explorer/api", fromInside, explorerRouter(explorer));
  app
    .route(JWKS_PATH)
    .get(jwks(() => issuer.keys()))
    .all(onlyMethods("GET"));
  app.route("/metrics").get(fromInside, metrics).all(onlyMethods("GET"));
  // Alive is who answers; ready is who can take work: without a chain it is accepted, without a journal nothing is.
  app
    .route("/livez")
    .get((_request, response) => void response.json({ status: "ok" }))
    .all(onlyMethods("GET"));
  app
    .route("/readyz")
    .get(async (_request, response) => {
      await ready();
      response.json({ status: "ok" });
    })
    .all(onlyMethods("GET"));
  if (telegram !== undefined) app.use(telegram.path, telegram.webhook);
  app.use(openApiRouter(version, () => import("./openapi.ts")));
  app.use(panelRouter({ version, map }, pageHeaders(map.tiles && [tileSource(map.tiles.template)])));
  app.use(nothingHere, sendProblem);
  return app;
}

function nothingHere(): never {
  throw new SealbookError("not_found", "there is nothing at this path");
}
