import express, { type Express, type RequestHandler, Router } from "express";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SealbookError } from "../errors.ts";
import { authenticate, authenticateIfPresented, type AuthenticationDeps } from "../http/access/authenticate.ts";
import type { Config } from "../config/config.ts";
import { NetworkList } from "../kit/network-list.ts";
import { fromAllowedNetwork, hostCheck, noteSource } from "../http/access/source.ts";
import { compressedJson } from "../http/compressed-json.ts";
import { acceptForwarded } from "../http/forwarding/accept.ts";
import { forwardToLeader } from "../http/forwarding/forward.ts";
import type { Peers } from "../http/forwarding/relayer-call.ts";
import type { ForwardedCalls } from "../http/forwarding/forwarded-call.ts";
import { crossOrigin } from "../http/cross-origin.ts";
import { urlLimit } from "../http/listener.ts";
import { requestRate } from "../http/source-limits.ts";
import { type ExplorerDeps, explorerRoutes } from "../explorer/routes.ts";
import { addRoutes } from "../http/serve.ts";
import { openApiRouter } from "../http/openapi/router.ts";
import { type Attest, attestRoute } from "../attestation/routes.ts";
import { sendProblem } from "../http/problem.ts";
import { type ProofApiDeps, proofRoutes } from "../proofs/routes.ts";
import type { ProofVerifier } from "../proofs/verifier.ts";
import { verificationRoutes } from "../proofs/verification-routes.ts";
import { recordStoreRouter } from "../http/record-store/router.ts";
import { healthRoutes, metricsRoute, type OperationsRouteDeps, operationsRoutes } from "../operations/routes.ts";
import { recordCalls, type RecordRouteDeps } from "../records/routes.ts";
import type { RelayerRoute } from "./relayers.ts";
import { recoveryRoutes } from "../recovery/routes.ts";
import type { RecoveryService } from "../recovery/service.ts";
import { sessionCalls, type SessionRouteDeps } from "../sessions/routes.ts";
import { logRequests, type ObserveRequest } from "../http/request-log.ts";
import { dataHeaders, pageHeaders, tileSource } from "../http/security-headers.ts";
import type { Issuer } from "../issuer/issuer.ts";
import { notLeader } from "../journal/leader/not-leader.ts";
import { keysRoute } from "../issuer/routes.ts";
import type { MapSettings } from "../panel/page.ts";
import { panelRouter } from "../panel/routes.ts";
import type { Logger } from "../kit/logger.ts";
import { ROOT } from "../kit/program-files.ts";
import { AttestationService } from "../attestation/service.ts";
import { statementQueue } from "../attestation/statement-queue.ts";
import { ChainDecoder } from "../explorer/decoder.ts";
import { ChainExplorer } from "../explorer/explorer.ts";
import { rateLimit } from "../http/rate-limit.ts";
import { apiKeyStore } from "../operations/api-key-store.ts";
import { BundleService } from "../proofs/bundle.ts";
import type { Context } from "./context.ts";
import type { Parts } from "./parts.ts";

const VERIFIER = join(ROOT, "verifier/verify.mjs");

/** Access to the integrity-proof API. */
interface AccessDeps {
  /** Names of the server in requests. */
  readonly hosts: readonly string[];
  readonly networks: NetworkList;
  /** Their `X-Forwarded-For` is trusted. */
  readonly proxies: NetworkList;
  /** Origins of other pages that may call the APIs. */
  readonly origins: readonly string[];
  /** Small requests of a source in a second. */
  readonly requestRate: number;
  readonly authentication: AuthenticationDeps;
  /** Parts that need no authentication although the API does. */
  readonly open: Config["access"]["open"];
}

/** Everything that the routes use. */
export interface AppDeps {
  readonly logger: Logger;
  readonly version: string;
  readonly sessions: SessionRouteDeps;
  readonly records: RecordRouteDeps;
  readonly proofs: ProofApiDeps;
  readonly verifier: ProofVerifier;
  readonly recovery: RecoveryService;
  readonly operations: OperationsRouteDeps;
  readonly explorer: ExplorerDeps;
  readonly access: AccessDeps;
  readonly attest: Attest;
  readonly issuer: Pick<Issuer, "publicKeys">;
  readonly map: MapSettings;
  /** Whether this relayer writes. */
  readonly isLeader: boolean;
  /** Takes what other relayers send of their own. */
  readonly ofRelayers: RequestHandler;
  /** The relayers of the journal; `undefined` when there is no other one. */
  readonly relayers?: { readonly peers: Peers; readonly forwardedCalls: ForwardedCalls } | undefined;
}

/** Mounts both APIs, the explorer and the panel; does not listen. */
export function createApp(deps: AppDeps): Express {
  const { logger, version, access, map, operations } = deps;
  const app = express();
  app.disable("x-powered-by");
  // Responses change with every block, so clients do not cache them; a digest of each costs as much as reading it.
  app.disable("etag");
  app.set("query parser", "simple");
  // Only trusted proxies may set the address of a request.
  app.set("trust proxy", (address: string) => access.proxies.has(address));
  const observe: ObserveRequest = (labels, seconds) => operations.metrics.httpRequests.observe(labels, seconds);
  const { forwardedCalls, peers } = deps.relayers ?? {};
  const forwarding = forwardToLeader(peers, deps.isLeader);
  app.use(logRequests(logger, observe), acceptForwarded(forwardedCalls), dataHeaders(), hostCheck(access.hosts));
  app.use(urlLimit());
  app.use(noteSource(access), requestRate(access.requestRate), ...crossOrigin(access.origins), compressedJson());
  const authenticated = authenticate(access.authentication);
  const unless = (part: Config["access"]["open"][number]): RequestHandler[] =>
    access.open.includes(part) ? [fromAllowedNetwork] : [fromAllowedNetwork, authenticated];
  const guards = [fromAllowedNetwork, authenticated];
  const needsKeys = access.authentication.apiKeys !== undefined || access.authentication.tokens !== undefined;
  const verifying =
    needsKeys && access.open.includes("verify") ? [fromAllowedNetwork, authenticateIfPresented(authenticated)] : guards;
  // Each call of a session changes it.
  const sessions = sessionCalls(deps.sessions);
  const calls = deps.isLeader ? sessions : sessions.map((call) => ({ ...call, handle: refuse }));
  // Posts of proofs are the most frequent requests: their routes come first.
  const integrity = [
    ...proofRoutes(deps.proofs),
    ...recoveryRoutes(deps.recovery),
    attestRoute(deps.attest),
    ...operationsRoutes(operations),
  ];
  addRoutes(app, integrity, guards);
  addRoutes(app, verificationRoutes(deps.verifier), verifying);
  app.use("/api/v1", ...guards, nothingHere);
  // Their errors are not those of clients' calls.
  app.use(deps.ofRelayers);
  app.use("/api", recordStoreRouter([...calls, ...recordCalls(deps.records)], forwarding));
  // With a trailing slash, a list would match the path of an entry with an empty id.
  const strict = Router({ strict: true });
  // The data are public, but the queries go to the chain's node.
  addRoutes(strict, explorerRoutes(deps.explorer), unless("explorer"));
  app.use(strict);
  app.use("/explorer/api", ...unless("explorer"), nothingHere);
  addRoutes(app, [metricsRoute(operations)], unless("metrics"));
  addRoutes(app, [keysRoute(deps.issuer), ...healthRoutes(operations)]);
  app.use(openApiRouter(version, () => import("./openapi.ts")));
  app.use(panelRouter({ version, map }, pageHeaders(map.tiles && [tileSource(map.tiles.template)])));
  app.use(nothingHere, forwarding, sendProblem);
  return app;
}

/** In place of what a follower cannot do: the leader does all of it. */
async function refuse(): Promise<never> {
  throw notLeader();
}

function nothingHere(): never {
  throw new SealbookError("not_found", "there is nothing at this path");
}

/** Builds both APIs, the explorer and the panel over the parts; does not listen. */
export function createApi(context: Context, parts: Parts): Express {
  const { sessions, records, proofs, recovery, operations } = parts;
  const { config, opened, version, link, validatorNames, proofAnchor, metrics, logger, issuer, address } = context;
  const { certificate } = opened;
  const { rpc, deployment } = link;
  const contract = deployment.contracts.ProofAnchor;
  const location = (): { chainId: number; contract: string; explorerUrl: string; publicUrl: string } => ({
    chainId: rpc.chainId,
    contract,
    explorerUrl: address.explorerUrl,
    publicUrl: address.url,
  });
  metrics.gauge("sealbook_tls_certificate_expiry_timestamp_seconds", "When the listener's certificate expires", () =>
    certificate === undefined ? undefined : certificate.expires / 1000,
  );
  const bundles = new BundleService({ chain: proofAnchor, issuer });
  return createApp({
    logger,
    version,
    sessions: sessions.routeDeps,
    records: records.routeDeps,
    proofs: {
      proofs: proofs.service,
      bundles,
      location,
    },
    verifier: proofs.verifier,
    recovery: recovery.service,
    operations: {
      alerts: context.alertStore,
      status: () => operations.status(),
      ready: () => operations.ready(),
      metrics,
    },
    explorer: {
      explorer: new ChainExplorer({
        rpc,
        deployment,
        validators: validatorNames,
        decoder: new ChainDecoder(context.workers, rpc.chainId, deployment.contracts),
        audit: records.routeDeps.audit,
      }),
      requestsPerSource: rateLimit(
        config.explorer.rate,
        "explorer",
        "requests to the explorer from this network address",
      ),
    },
    access: accessOf(context),
    attest: context.isLeader
      ? statementQueue(
          new AttestationService({
            journal: context.journal,
            entryVerifier: context.entryVerifier,
            beginCheck: () => proofs.verifier.begin(),
            issuer,
            telemetry: context.telemetry,
            clock: context.clock,
            trees: proofs.trees,
            chain: proofAnchor,
            bundles,
            recovery: recovery.service,
            issuerName: config.issuer.name,
            installation: location,
            jwksUrl: () => address.jwksUrl,
            verifier: readFileSync(VERIFIER, "utf8"),
          }),
          context.workers,
        )
      : refuse,
    issuer,
    map: config.map,
    isLeader: context.isLeader,
    ofRelayers: routerOf([...operations.relayerRoutes, ...parts.operatorWrites.routes]),
    relayers: context.opened.relayers,
  });
}

function routerOf(routes: readonly RelayerRoute[]): RequestHandler {
  const router = Router();
  for (const { path, handlers } of routes) router.post(path, ...handlers, sendProblem);
  return router;
}

function accessOf({ config, opened: { tokens }, database, clock, logger }: Context): AccessDeps {
  const { allowedNetworks, allowedHosts, allowedOrigins, trustedProxies, requestRate, apiKeys, open } = config.access;
  return {
    hosts: allowedHosts,
    origins: allowedOrigins,
    networks: new NetworkList(allowedNetworks),
    proxies: new NetworkList(trustedProxies),
    requestRate,
    open,
    authentication: {
      apiKeys: apiKeys ? apiKeyStore(database) : undefined,
      tokens,
      clock,
      onRefusal: (reason) => logger.info({ reason }, "a token is refused"),
    },
  };
}
