import { join, resolve } from "node:path";
import { SealbookError } from "../errors.ts";
import type { TargetAddress } from "../journal/replication/targets.ts";
import {
  type CertificateFiles,
  certificateFiles,
  type Fault,
  type PeerTlsConfig,
  peerTlsConfig,
  type RelayerSource,
  relayerSource,
  type TokenConfig,
  tokenConfig,
} from "./credentials.ts";
import { Environment, type EnvironmentValues, type EnvironmentVariables } from "./environment.ts";
import { type MapConfig, mapConfig } from "./map.ts";
import type { DatabaseConfig } from "./notations.ts";
import { type TelegramConfig, telegramConfig } from "./telegram.ts";

/** Which chain the relayer talks to. */
export type ChainConfig =
  | {
      readonly kind: "embedded";
      readonly port: number;
      readonly blockPeriodSeconds: number;
      readonly directory: string;
    }
  | { readonly kind: "remote"; readonly urls: readonly [string, ...string[]]; readonly tls: PeerTlsConfig };

/** What the server was told, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** What to listen with; without it there is no TLS. */
  readonly tls: CertificateFiles | undefined;
  readonly dataDirectory: string;
  readonly chain: ChainConfig;
  readonly database: DatabaseConfig;
  readonly relayer: RelayerSource | undefined;
  readonly administratorKey: string | undefined;
  readonly gasPrice: bigint;
  readonly sessionLifetime: number | undefined;
  readonly sessionMinimumToExtend: number | undefined;
  readonly chainWaitMilliseconds: number;
  readonly proofWaitMilliseconds: number;
  readonly batchMaxAgeMilliseconds: number;
  readonly maxOutstanding: number;
  readonly anchorDeadlineMilliseconds: number;
  readonly takeOverMilliseconds: number;
  readonly sealIntervalMilliseconds: number;
  readonly reconcileIntervalMilliseconds: number;
  readonly fullReconcileIntervalMilliseconds: number;
  /** Where the journal is replicated to. */
  readonly replicaTargets: readonly TargetAddress[];
  readonly replicaIntervalMilliseconds: number;
  readonly replicaLagLimitMilliseconds: number;
  readonly alertWebhooks: readonly string[];
  readonly alertWebhookSecret: string | undefined;
  readonly allowedNetworks: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly apiKeys: boolean;
  /** How tokens are checked, when they are taken. */
  readonly tokens: TokenConfig | undefined;
  readonly tableName: string;
  readonly loginAttemptsPerAddress: number;
  readonly loginAttemptsPerSource: number;
  readonly storeRate: number;
  /** Questions a minute that one network address may put to the explorer. */
  readonly explorerRate: number;
  readonly validatorNames: ReadonlyMap<string, string>;
  /** List of the network's nodes. */
  readonly nodeListFile: string | undefined;
  readonly publicUrl: string | undefined;
  readonly explorerUrl: string | undefined;
  /** Who signs attestations. */
  readonly issuerName: string;
  /** How the bot is to be run, when it is. */
  readonly telegram: TelegramConfig | undefined;
  readonly nodeLogFile: string | undefined;
  readonly map: MapConfig;
  readonly logLevel: EnvironmentValues["LOG_LEVEL"];
}

/**
 * Checks what the environment says.
 * @param relays Whether a relayer's key is needed
 * @throws SealbookError `config_invalid` that names every variable in fault and why, and contradictions between them
 */
export function parseConfig(variables: EnvironmentVariables, { relays = true } = {}): Config {
  const parsed = Environment.safeParse(variables);
  if (!parsed.success) {
    throw refusal(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
  }
  const env = parsed.data;
  const details: Fault[] = [];
  const relayer = relayerSource(env, variables, details);
  if (env.RPC_URL !== undefined) {
    if (relays && relayer === undefined) {
      details.push({
        path: "RELAYER_KEY",
        message: "is needed with RPC_URL, or RELAYER_KEYSTORE_FILE, or RELAYER_SIGNER_URL",
      });
    }
    for (const name of ["CHAIN_PORT", "CHAIN_BLOCK_PERIOD"] as const) {
      if (variables[name] !== undefined)
        details.push({ path: name, message: "is for the embedded chain, but RPC_URL is set" });
    }
  } else if (env.NODE_LIST_FILE !== undefined) {
    details.push({ path: "NODE_LIST_FILE", message: "is for a network's node, but RPC_URL is not set" });
  }
  if (env.RELAYER_KEY !== undefined && env.RELAYER_KEY.toLowerCase() === env.ADMIN_KEY?.toLowerCase()) {
    details.push({
      path: "ADMIN_KEY",
      message: "is the same key as RELAYER_KEY: each needs its own nonces and rights",
    });
  }
  const { SESSION_LIFETIME: lifetime, SESSION_MINIMUM_TO_EXTEND: minimum } = env;
  if (lifetime !== undefined && minimum !== undefined && minimum >= lifetime) {
    details.push({ path: "SESSION_MINIMUM_TO_EXTEND", message: "is not less than SESSION_LIFETIME" });
  }
  if (env.REPLICA_LAG_LIMIT <= env.REPLICA_INTERVAL) {
    details.push({ path: "REPLICA_LAG_LIMIT", message: "is not more than REPLICA_INTERVAL" });
  }
  const nodeTls = peerTlsConfig("RPC_TLS", env, variables, details);
  const tls = certificateFiles("TLS", env.TLS_CERT_FILE, env.TLS_KEY_FILE, details);
  const tokens = env.API_AUTH.includes("jwt") ? tokenConfig(env, details) : undefined;
  const telegram = telegramConfig(env, variables, details);
  const map = mapConfig(env, details);
  if (details.length > 0) throw refusal(details);

  const dataDirectory = resolve(env.DATA_DIR);
  return {
    host: env.HOST,
    port: env.PORT,
    tls,
    dataDirectory,
    chain:
      env.RPC_URL === undefined
        ? {
            kind: "embedded",
            port: env.CHAIN_PORT,
            blockPeriodSeconds: env.CHAIN_BLOCK_PERIOD,
            directory: join(dataDirectory, "chain"),
          }
        : { kind: "remote", urls: env.RPC_URL, tls: nodeTls },
    database: env.DATABASE_URL ?? { kind: "sqlite", file: join(dataDirectory, "sealbook.sqlite") },
    relayer,
    administratorKey: env.ADMIN_KEY,
    gasPrice: BigInt(env.GAS_PRICE),
    sessionLifetime: lifetime,
    sessionMinimumToExtend: minimum,
    chainWaitMilliseconds: env.CHAIN_WAIT * 1000,
    proofWaitMilliseconds: env.PROOF_WAIT * 1000,
    batchMaxAgeMilliseconds: env.BATCH_MAX_AGE * 1000,
    maxOutstanding: env.MAX_OUTSTANDING,
    anchorDeadlineMilliseconds: env.ANCHOR_DEADLINE * 1000,
    takeOverMilliseconds: env.TAKEOVER_AFTER * 1000,
    sealIntervalMilliseconds: env.SEAL_INTERVAL * 1000,
    reconcileIntervalMilliseconds: env.RECONCILE_INTERVAL * 1000,
    fullReconcileIntervalMilliseconds: env.RECONCILE_FULL_INTERVAL * 1000,
    replicaTargets: env.REPLICA_TARGETS,
    replicaIntervalMilliseconds: env.REPLICA_INTERVAL * 1000,
    replicaLagLimitMilliseconds: env.REPLICA_LAG_LIMIT * 1000,
    alertWebhooks: env.ALERT_WEBHOOKS,
    alertWebhookSecret: env.ALERT_WEBHOOK_SECRET,
    allowedNetworks: env.ALLOWED_NETWORKS,
    trustedProxies: env.TRUSTED_PROXIES,
    apiKeys: env.API_AUTH.includes("apikey"),
    tokens,
    tableName: env.TABLE_NAME,
    loginAttemptsPerAddress: env.LOGIN_ATTEMPTS_PER_ADDRESS,
    loginAttemptsPerSource: env.LOGIN_ATTEMPTS_PER_SOURCE,
    storeRate: env.STORE_RATE,
    explorerRate: env.EXPLORER_RATE,
    validatorNames: env.VALIDATOR_NAMES,
    nodeListFile: env.NODE_LIST_FILE === undefined ? undefined : resolve(env.NODE_LIST_FILE),
    publicUrl: env.PUBLIC_URL,
    explorerUrl: env.EXPLORER_URL,
    issuerName: env.ISSUER_NAME,
    telegram,
    nodeLogFile: env.NODE_LOG_FILE === undefined ? undefined : resolve(env.NODE_LOG_FILE),
    map,
    logLevel: env.LOG_LEVEL,
  };
}

function refusal(details: readonly Fault[]): SealbookError {
  const lines = details.map(({ path, message }) => `${path} ${message}`);
  return new SealbookError("config_invalid", lines.join("; "), { details });
}
