import express, { type Express, type RequestHandler, Router } from "express";
import { SealbookError } from "../errors.ts";
import { type AuthenticationDeps, authenticate } from "../http/access/authenticate.ts";
import type { AccessConfig } from "../config/config.ts";
import type { NetworkList } from "../kit/network-list.ts";
import { fromAllowedNetwork, hostCheck, noteSource } from "../http/access/source.ts";
import { urlLimit } from "../http/listener.ts";
import { requestRate } from "../http/source-limits.ts";
import { type ExplorerDeps, explorerRoutes } from "../explorer/routes.ts";
import { addRoutes } from "../http/serve.ts";
import { openApiRouter } from "../http/openapi/router.ts";
import { type Attest, attestationRoutes } from "../attestation/routes.ts";
import { sendProblem } from "../http/problem.ts";
import { type ProofApiDeps, proofRoutes } from "../proofs/routes.ts";
import { recordStoreRouter } from "../http/record-store/router.ts";
import { healthRoutes, metricsRoute, type OperationsRouteDeps, operationsRoutes } from "../operations/routes.ts";
import { recordCalls, type RecordRouteDeps } from "../records/routes.ts";
import { recoveryRoutes } from "../recovery/routes.ts";
import type { RecoveryService } from "../recovery/service.ts";
import { sessionCalls, type SessionRouteDeps } from "../sessions/routes.ts";
import { logRequests, type ObserveRequest } from "../http/request-log.ts";
import { dataHeaders, pageHeaders, tileSource } from "../http/security-headers.ts";
import type { Issuer } from "../issuer/issuer.ts";
import { issuerRoutes } from "../issuer/routes.ts";
import type { MapSettings } from "../panel/page.ts";
import { panelRouter } from "../panel/routes.ts";
import type { Logger } from "../kit/logger.ts";

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
  readonly issuer: Pick<Issuer, "publicKeys">;
  readonly map: MapSettings;
  /** Webhook of the bot. */
  readonly telegram: { readonly path: string; readonly webhook: RequestHandler } | undefined;
}

/** Mounts both APIs, the explorer and the panel; does not listen. */
export function createApp(deps: AppDeps): Express {
  const { logger, version, access, map, operations, telegram } = deps;
  const app = express();
  app.disable("x-powered-by");
  // Responses change with every block, so clients do not cache them; a digest of each costs as much as reading it.
  app.disable("etag");
  app.set("query parser", "simple");
  // Only trusted proxies may set the address of a request.
  app.set("trust proxy", (address: string) => access.proxies.has(address));
  const observe: ObserveRequest = (labels, seconds) => operations.metrics.httpRequests.observe(labels, seconds);
  app.use(logRequests(logger, observe), dataHeaders(), hostCheck(access.hosts), urlLimit());
  app.use(noteSource(access), requestRate(access.requestRate));
  const authenticated = authenticate(access.authentication);
  const unless = (part: AccessConfig["open"][number]): RequestHandler[] =>
    access.open.includes(part) ? [fromAllowedNetwork] : [fromAllowedNetwork, authenticated];
  const guards = [fromAllowedNetwork, authenticated];
  const attestation = { ...attestationRoutes(deps.attest), ...issuerRoutes(deps.issuer) };
  // Posts of proofs are the most frequent requests: their routes come first.
  const integrity = [
    ...proofRoutes(deps.proofs),
    ...recoveryRoutes(deps.recovery),
    attestation.attest,
    ...operationsRoutes(operations),
  ];
  addRoutes(app, integrity, guards);
  app.use("/api/v1", ...guards, nothingHere);
  app.use("/api", recordStoreRouter([...sessionCalls(deps.sessions), ...recordCalls(deps.records)]));
  // With a trailing slash, a list would match the path of an entry with an empty id.
  const strict = Router({ strict: true });
  // The data are public, but the queries go to the chain's node.
  addRoutes(strict, explorerRoutes(deps.explorer), unless("explorer"));
  app.use(strict);
  app.use("/explorer/api", ...unless("explorer"), nothingHere);
  addRoutes(app, [metricsRoute(operations)], unless("metrics"));
  addRoutes(app, [attestation.keys, ...healthRoutes(operations)]);
  if (telegram !== undefined) app.use(telegram.path, telegram.webhook);
  app.use(openApiRouter(version, () => import("./openapi.ts")));
  app.use(panelRouter({ version, map }, pageHeaders(map.tiles && [tileSource(map.tiles.template)])));
  app.use(nothingHere, sendProblem);
  return app;
}

function nothingHere(): never {
  throw new SealbookError("not_found", "there is nothing at this path");
}
