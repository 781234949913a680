import type { Express } from "express";
import { ChainExplorer } from "../explorer/explorer.ts";
import { rateLimit } from "../http/limits.ts";
import { evidenceSource } from "../chain/evidence/anchor-evidence.ts";
import type { Config } from "../config/config.ts";
import { NetworkList } from "../kit/network-list.ts";
import { apiKeyStore } from "../operations/api-key-store.ts";
import { BundleService } from "../proofs/bundle.ts";
import { type AccessDeps, createApp } from "./app.ts";
import { createAttestation } from "./attestation.ts";
import type { Foundation } from "./foundation.ts";
import type { Parts } from "./parts.ts";
import type { Opened } from "./resources.ts";

export interface ApiOptions {
  readonly config: Pick<Config, "access" | "explorer" | "issuerName" | "map">;
  readonly opened: Pick<Opened, "tokens" | "certificate" | "former">;
  readonly telegramPath: string | undefined;
}

/** Builds both APIs, the explorer and the panel over the parts; does not listen. */
export function createApi(parts: Parts, { config, opened, telegramPath }: ApiOptions): Express {
  const { foundation, address, sessions, records, proofs, recovery, operations, bot } = parts;
  const {
    version,
    link,
    journal,
    validatorNames,
    proofAnchor,
    entryVerifier,
    alertStore,
    metrics,
    telemetry,
    logger,
    clock,
    issuer,
  } = foundation;
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
  const bundles = new BundleService({ evidence: evidenceSource(proofAnchor), issuer });
  return createApp({
    logger,
    version,
    sessions: sessions.routeDeps,
    records: records.routeDeps,
    proofs: {
      proofs: proofs.service,
      verifier: proofs.verifier,
      bundles,
      location,
    },
    recovery: recovery.service,
    operations: {
      alerts: alertStore,
      status: () => operations.status(),
      assertReady: () => operations.assertReady(),
      metrics,
    },
    explorer: {
      explorer: new ChainExplorer({
        rpc,
        deployment,
        former: opened.former,
        validators: validatorNames,
        decoder: parts.explorerDecoder,
        audit: records.routeDeps.audit,
      }),
      requestsPerSource: rateLimit(config.explorer.rate, "requests to the explorer from this network address"),
    },
    access: accessOf(foundation, config.access, opened),
    attest: createAttestation(
      {
        journal,
        trees: proofs.trees,
        entryVerifier,
        chain: proofAnchor,
        bundles,
        recovery: recovery.service,
        issuer,
        issuerName: config.issuerName,
        installation: location,
        jwksUrl: () => address.jwksUrl,
        telemetry,
        clock,
      },
      parts.printer,
    ),
    issuer,
    telegram: bot && telegramPath !== undefined ? { path: telegramPath, webhook: bot.webhook } : undefined,
    map: config.map,
  });
}

function accessOf(
  { database, clock }: Foundation,
  { allowedNetworks, allowedHosts, trustedProxies, requestRate, apiKeys, open }: Config["access"],
  { tokens }: Pick<Opened, "tokens">,
): AccessDeps {
  return {
    hosts: allowedHosts,
    networks: new NetworkList(allowedNetworks),
    proxies: new NetworkList(trustedProxies),
    requestRate,
    open,
    authentication: { apiKeys: apiKeys ? apiKeyStore(database) : undefined, tokens, clock },
  };
}
