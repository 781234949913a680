import { join, resolve } from "node:path";
import { SealbookError } from "../errors.ts";
import type { TargetAddress } from "../journal/replication/targets.ts";
import { type ChainConfig, chainConfig, checkChain } from "./chain.ts";
import {
  type CertificateFiles,
  certificateFiles,
  type Fault,
  peerTlsConfig,
  relayerSource,
  type TokenConfig,
  tokenConfig,
} from "./credentials.ts";
import { Environment, type EnvironmentValues, type EnvironmentVariables } from "./environment.ts";
import type { DatabaseConfig } from "./notations.ts";
import { type TelegramConfig, telegramConfig } from "./telegram.ts";

/** The HTTP listener. */
interface HttpConfig {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Certificate of the listener; without it the server speaks plain HTTP. */
  readonly tls: CertificateFiles | undefined;
  /** Address that clients use; without it, the address of the listener. */
  readonly publicUrl: string | undefined;
}

/** Access to the integrity-proof API. */
export interface AccessConfig {
  readonly allowedNetworks: readonly string[];
  /** Names of the server in requests; others are rejected. */
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Small requests of a source per second. */
  readonly requestRate: number;
  /** Whether API keys are accepted. */
  readonly apiKeys: boolean;
  /** Rules for bearer tokens; without them none is accepted. */
  readonly tokens: TokenConfig | undefined;
  /** Parts that need no authentication although the API does. */
  readonly open: readonly ("metrics" | "explorer")[];
}

/** Logins and sessions of the record store. */
interface SessionConfig {
  readonly chainWaitMilliseconds: number;
  readonly loginAttemptsPerAddress: number;
  readonly loginAttemptsPerSource: number;
  /** Validations and extensions per minute and account. */
  readonly sessionRate: number;
}

/** Records of the record store. */
interface RecordConfig {
  readonly tableName: string;
  readonly chainWaitMilliseconds: number;
  /** Records per minute that one account may store. */
  readonly storeRate: number;
  /** Searches and decoded transactions per minute and account, each. */
  readonly queryRate: number;
}

/** Integrity proofs. */
export interface ProofConfig {
  readonly proofWaitMilliseconds: number;
  readonly batchMaxAgeMilliseconds: number;
  readonly maxInFlight: number;
  readonly anchorDeadlineMilliseconds: number;
}

/** Retention of recovery verifications. */
interface RecoveryConfig {
  readonly retentionMilliseconds: number;
  /** Documents of the verifications of one caller, and of all. */
  readonly perCaller: number;
  readonly total: number;
}

/** Checkpoints, reconciliation and replicas of the journal. */
export interface JournalConfig {
  /** File with the journal's key; `undefined` for the one in the data folder. */
  readonly keyFile: string | undefined;
  /** Whether an empty journal is accepted where there must have been one. */
  readonly mayBeNew: boolean;
  /** Whether other contracts or another table than before may be used. */
  readonly mayReplaceContracts: boolean;
  /** Free space on its disk below which the server is not ready. */
  readonly minimumFreeBytes: number;
  readonly checkpointIntervalMilliseconds: number;
  readonly reconcileIntervalMilliseconds: number;
  readonly fullReconcileIntervalMilliseconds: number;
  readonly replicaTargets: readonly TargetAddress[];
  /** `sync`: a proof is acknowledged when a replica has it. */
  readonly replicaMode: EnvironmentValues["REPLICA_MODE"];
  readonly replicaIntervalMilliseconds: number;
  readonly replicaLagLimitMilliseconds: number;
}

/** Receivers of alerts. */
interface AlertConfig {
  readonly webhooks: readonly string[];
  /** Signs the requests. */
  readonly webhookSecret: string | undefined;
}

/** The explorer. */
export interface ExplorerConfig {
  /** Queries per minute from one network address. */
  readonly rate: number;
  /** Another block explorer to link to; without it, the server's own. */
  readonly url: string | undefined;
}

/** The checked configuration, by the part of the server that it is for. */
export interface Config {
  readonly dataDirectory: string;
  readonly logLevel: EnvironmentValues["LOG_LEVEL"];
  readonly database: DatabaseConfig;
  readonly chain: ChainConfig;
  readonly http: HttpConfig;
  readonly access: AccessConfig;
  readonly sessions: SessionConfig;
  readonly records: RecordConfig;
  readonly proofs: ProofConfig;
  readonly journal: JournalConfig;
  readonly recovery: RecoveryConfig;
  readonly alerts: AlertConfig;
  readonly explorer: ExplorerConfig;
  /** Name of the issuer in attestations. */
  readonly issuerName: string;
  /** The file with the password of the issuer's private key. */
  readonly issuerKeyPasswordFile: string | undefined;
  /** The Telegram bot; without it there is none. */
  readonly telegram: TelegramConfig | undefined;
  readonly map: MapConfig;
}

/**
 * Parses and checks the environment variables.
 * @param relays Whether a relayer's key is required
 * @throws SealbookError `config_invalid` naming every invalid variable with the reason, and contradictions between them
 */
export function parseConfig(variables: EnvironmentVariables, { relays = true } = {}): Config {
  const parsed = Environment.safeParse(variables);
  if (!parsed.success) {
    throw refusal(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
  }
  const env = parsed.data;
  const faults: Fault[] = [];
  const relayer = relayerSource(env, variables, faults);
  checkChain(env, variables, relays && relayer === undefined, faults);
  if (env.REPLICA_LAG_LIMIT <= env.REPLICA_INTERVAL) {
    faults.push({ path: "REPLICA_LAG_LIMIT", message: "is not more than REPLICA_INTERVAL" });
  }
  if (env.REPLICA_MODE === "sync" && env.REPLICA_TARGETS.length === 0) {
    faults.push({ path: "REPLICA_MODE", message: "is sync, but REPLICA_TARGETS is not set" });
  }
  const nodeTls = peerTlsConfig("RPC_TLS", env, variables, faults);
  const tls = certificateFiles("TLS", env.TLS_CERT_FILE, env.TLS_KEY_FILE, faults);
  const tokens = env.API_AUTH.includes("jwt") ? tokenConfig(env, faults) : undefined;
  const telegram = telegramConfig(env, variables, faults);
  const map = mapConfig(env, faults);
  if (faults.length > 0) throw refusal(faults);

  const dataDirectory = resolve(env.DATA_DIR);
  return {
    dataDirectory,
    logLevel: env.LOG_LEVEL,
    database: env.DATABASE_URL ?? { kind: "sqlite", file: join(dataDirectory, "sealbook.sqlite") },
    chain: chainConfig(env, dataDirectory, relayer, nodeTls),
    http: { host: env.HOST, port: env.PORT, tls, publicUrl: env.PUBLIC_URL },
    ...apiConfig(env, tokens),
    journal: journalConfig(env),
    recovery: {
      retentionMilliseconds: env.VERIFICATION_RETENTION * 1000,
      perCaller: env.VERIFICATION_ROWS_PER_CALLER,
      total: env.VERIFICATION_ROWS,
    },
    alerts: { webhooks: env.ALERT_WEBHOOKS, webhookSecret: env.ALERT_WEBHOOK_SECRET },
    issuerName: env.ISSUER_NAME,
    issuerKeyPasswordFile: env.ISSUER_KEY_PASSWORD_FILE,
    telegram,
    map,
  };
}

function apiConfig(
  env: EnvironmentValues,
  tokens: TokenConfig | undefined,
): Pick<Config, "access" | "sessions" | "records" | "proofs" | "explorer"> {
  const chainWaitMilliseconds = env.CHAIN_WAIT * 1000;
  return {
    access: {
      allowedNetworks: env.ALLOWED_NETWORKS,
      allowedHosts: [
        env.HOST,
        ...(env.PUBLIC_URL === undefined ? [] : [new URL(env.PUBLIC_URL).host]),
        ...env.ALLOWED_HOSTS,
      ],
      trustedProxies: env.TRUSTED_PROXIES,
      requestRate: env.REQUEST_RATE,
      apiKeys: env.API_AUTH.includes("apikey"),
      tokens,
      open: (["metrics", "explorer"] as const).filter((part) => env.API_AUTH_EXEMPT.includes(part)),
    },
    sessions: {
      chainWaitMilliseconds,
      loginAttemptsPerAddress: env.LOGIN_ATTEMPTS_PER_ADDRESS,
      loginAttemptsPerSource: env.LOGIN_ATTEMPTS_PER_SOURCE,
      sessionRate: env.SESSION_RATE,
    },
    records: { tableName: env.TABLE_NAME, chainWaitMilliseconds, storeRate: env.STORE_RATE, queryRate: env.QUERY_RATE },
    proofs: {
      proofWaitMilliseconds: env.PROOF_WAIT * 1000,
      batchMaxAgeMilliseconds: env.BATCH_MAX_AGE * 1000,
      maxInFlight: env.MAX_IN_FLIGHT,
      anchorDeadlineMilliseconds: env.ANCHOR_DEADLINE * 1000,
    },
    explorer: { rate: env.EXPLORER_RATE, url: env.EXPLORER_URL },
  };
}

function journalConfig(env: EnvironmentValues): JournalConfig {
  return {
    keyFile: env.JOURNAL_KEY_FILE,
    mayBeNew: env.NEW_JOURNAL === "yes",
    mayReplaceContracts: env.NEW_CONTRACTS === "yes",
    minimumFreeBytes: env.DISK_FREE_MINIMUM * 1e6,
    checkpointIntervalMilliseconds: env.CHECKPOINT_INTERVAL * 1000,
    reconcileIntervalMilliseconds: env.RECONCILE_INTERVAL * 1000,
    fullReconcileIntervalMilliseconds: env.RECONCILE_FULL_INTERVAL * 1000,
    replicaTargets: env.REPLICA_TARGETS,
    replicaMode: env.REPLICA_MODE,
    replicaIntervalMilliseconds: env.REPLICA_INTERVAL * 1000,
    replicaLagLimitMilliseconds: env.REPLICA_LAG_LIMIT * 1000,
  };
}

function refusal(details: readonly Fault[]): SealbookError {
  const lines = details.map(({ path, message }) => `${path} ${message}`);
  return new SealbookError("config_invalid", lines.join("; "), { details });
}

/** Settings of the air-quality map. */
interface MapConfig {
  /** Address and attribution of the tiles; without them there is a plain map. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  readonly readingMaxAgeMilliseconds: number;
}

/** Parses the settings of the map. Tiles require their provider's attribution. */
function mapConfig({ TILE_URL, TILE_ATTRIBUTION, READING_MAX_AGE }: EnvironmentValues, faults: Fault[]): MapConfig {
  if (TILE_URL !== undefined && TILE_ATTRIBUTION === undefined)
    faults.push({ path: "TILE_ATTRIBUTION", message: "is needed with TILE_URL" });
  if (TILE_URL === undefined && TILE_ATTRIBUTION !== undefined)
    faults.push({ path: "TILE_URL", message: "is needed with TILE_ATTRIBUTION" });
  return {
    tiles:
      TILE_URL === undefined || TILE_ATTRIBUTION === undefined
        ? undefined
        : { template: TILE_URL, attribution: TILE_ATTRIBUTION },
    readingMaxAgeMilliseconds: READING_MAX_AGE * 1000,
  };
}
