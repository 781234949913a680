import { join, resolve } from "node:path";
import { SealbookError } from "../errors.ts";
import { contradictions, type Fault } from "./contradictions.ts";
import { Environment, type EnvironmentValues, type EnvironmentVariables } from "./environment.ts";
import type { DatabaseConfig } from "./notations.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A certificate and its key, as PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** TLS with a node or a signer: the client certificate, and how the peer is authenticated. */
export interface PeerTlsConfig {
  readonly client: CertificateFiles | undefined;
  /** PEM file. */
  readonly authority: string | undefined;
}

/** Source of the relayer's key. */
export type RelayerSource =
  | { readonly kind: "environment"; readonly key: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | { readonly kind: "signer"; readonly url: string; readonly address: string; readonly tls: PeerTlsConfig };

/** The chain to use: the embedded one, or that of a node. */
export type NodeConfig =
  | {
      readonly kind: "embedded";
      readonly port: number;
      /** Whether the port takes transactions of everybody. */
      readonly portSends: boolean;
      readonly blockPeriodSeconds: number;
      readonly directory: string;
    }
  | { readonly kind: "remote"; readonly urls: readonly [string, ...string[]]; readonly tls: PeerTlsConfig };

/** Rules for bearer tokens. */
export type TokenConfig = NonNullable<ReturnType<typeof tokenConfig>>;

/** The checked configuration, by the part of the server that it is for. */
export type Config = ReturnType<typeof configOf>;

/** The chain, and the keys and rules for its contracts. */
export type ChainConfig = Config["chain"];

/**
 * Parses and checks the environment variables.
 * @param relays Whether a relayer's key is required
 * @throws SealbookError `config_invalid` naming every invalid variable with the reason, or, when all are valid, the
 *   contradictions between them
 */
export function parseConfig(variables: EnvironmentVariables, { relays = true } = {}): Config {
  const { success, error, data } = Environment.safeParse(variables);
  const faults: readonly Fault[] = success
    ? contradictions(data, variables, relays)
    : error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  if (success && faults.length === 0) return configOf(data);
  const lines = faults.map(({ path, message }) => `${path} ${message}`);
  throw new SealbookError("config_invalid", lines.join("; "), { details: faults });
}

/** Values without a variable are constants; tests replace them. */
function configOf(env: EnvironmentValues) {
  const dataDirectory = resolve(env.DATA_DIR);
  const database: DatabaseConfig = env.DATABASE_URL ?? {
    kind: "sqlite",
    file: join(dataDirectory, "sealbook.sqlite"),
  };
  const chainWaitMilliseconds = env.CHAIN_WAIT * SECOND;
  return {
    dataDirectory,
    database,
    logLevel: env.LOG_LEVEL,
    /** All relayers of the journal; `undefined` when this is the only one. */
    relayers: env.RELAYERS && env.RELAYER_ID ? { self: env.RELAYER_ID, addresses: env.RELAYERS } : undefined,
    http: {
      host: env.HOST,
      port: env.PORT,
      tls: certificateFiles(env.TLS_CERT_FILE, env.TLS_KEY_FILE),
      publicUrl: env.PUBLIC_URL,
    },
    access: {
      allowedNetworks: env.ALLOWED_NETWORKS,
      allowedHosts: [env.HOST, ...(env.PUBLIC_URL ? [new URL(env.PUBLIC_URL).host] : []), ...env.ALLOWED_HOSTS],
      allowedOrigins: env.ALLOWED_ORIGINS,
      trustedProxies: env.TRUSTED_PROXIES,
      /** Small requests of a source per second. */
      requestRate: env.REQUEST_RATE,
      apiKeys: env.API_AUTH.includes("apikey"),
      tokens: env.API_AUTH.includes("jwt") ? tokenConfig(env) : undefined,
      /** Parts that need no authentication although the API does. */
      open: (["metrics", "explorer", "verify"] as const).filter((part) => env.API_AUTH_EXEMPT.includes(part)),
    },
    chain: {
      /** Folder of the addresses of the contracts and of generated keys. */
      dataDirectory,
      node: nodeConfig(env, dataDirectory),
      relayer: relayerSource(env),
      administratorKey: env.ADMIN_KEY,
      fees: {
        mode: env.FEE_MODE,
        gasPrice: env.GAS_PRICE === undefined ? undefined : BigInt(env.GAS_PRICE),
        maxFee: BigInt(env.MAX_FEE),
      },
      /** Session rules to write into the contract; `undefined` keeps those of the contract. */
      sessionRules: sessionRules(env.SESSION_LIFETIME),
      /** Names of block proposers, by lower-case address. */
      validatorNames: env.VALIDATOR_NAMES,
      nodeListFile: env.NODE_LIST_FILE && resolve(env.NODE_LIST_FILE),
      nodeLogFile: env.NODE_LOG_FILE && resolve(env.NODE_LOG_FILE),
      /** When a block counts as final. */
      finality: env.CONFIRMATIONS,
      /** Maximum difference of clocks: blocks ahead of this machine's clock, and steps of the clock. */
      clockLimitMilliseconds: MINUTE,
    },
    sessions: {
      chainWaitMilliseconds,
      /** Failed logins within a minute that lock one account out, and one network address. */
      loginAttemptsPerAddress: 10,
      loginAttemptsPerSource: 100,
      /** Validations and extensions per minute and account. The panel makes 6. */
      rate: 600,
    },
    records: {
      tableName: env.TABLE_NAME,
      chainWaitMilliseconds,
      /** Records per minute that one account may store. */
      storeRate: env.STORE_RATE,
      /** Searches and decoded transactions per minute and account, each. */
      queryRate: env.QUERY_RATE,
    },
    proofs: {
      proofWaitMilliseconds: env.PROOF_WAIT * SECOND,
      batchMaxAgeMilliseconds: env.BATCH_MAX_AGE * SECOND,
      /** Proofs that wait for the chain. */
      maxInFlight: 1_000_000,
      /** Age from which a proof that is not on chain raises an alert. */
      anchorDeadlineMilliseconds: MINUTE,
    },
    journal: {
      /** File with the journal's key; `undefined` for the one in the data folder. */
      keyFile: env.JOURNAL_KEY_FILE,
      /** Whether an empty journal is accepted where there must have been one. */
      mayBeNew: env.NEW_JOURNAL === "yes",
      /** Free space on its disk below which nothing new is accepted. */
      minimumFreeBytes: 200e6,
      /** Free space on its disk below which an alert is raised. */
      lowFreeBytes: 1e9,
      checkpointIntervalMilliseconds: env.CHECKPOINT_INTERVAL * SECOND,
      reconcileIntervalMilliseconds: MINUTE,
      fullReconcileIntervalMilliseconds: DAY,
      replicaTargets: env.REPLICA_TARGETS,
      replicaIntervalMilliseconds: 5 * SECOND,
      /** Lag of a replica that raises an alert. */
      replicaLagLimitMilliseconds: MINUTE,
    },
    recovery: {
      /** Retention of the rows of verifications, and their number for one caller and for all. */
      retentionMilliseconds: 90 * DAY,
      perCaller: 5_000_000,
      total: 20_000_000,
    },
    alerts: { webhooks: env.ALERT_WEBHOOKS, webhookSecret: env.ALERT_WEBHOOK_SECRET },
    explorer: {
      /** Queries per minute from one network address. */
      rate: 600,
      /** Another block explorer to link to; without it, the server's own. */
      url: env.EXPLORER_URL,
    },
    issuer: { name: env.ISSUER_NAME, keyPasswordFile: env.ISSUER_KEY_PASSWORD_FILE },
    /** The Telegram bot; without it there is none. */
    telegram: env.TELEGRAM_TOKEN === undefined ? undefined : telegramConfig(env, env.TELEGRAM_TOKEN),
    map: {
      /** Address and attribution of the tiles; without them there is a plain map. */
      tiles:
        env.TILE_URL === undefined || env.TILE_ATTRIBUTION === undefined
          ? undefined
          : { template: env.TILE_URL, attribution: env.TILE_ATTRIBUTION },
      /** Age up to which maps show a sensor's value. */
      readingMaxAgeMilliseconds: 6 * 60 * MINUTE,
    },
  };
}

/** A session can be extended while more than 15 s are left, of a shorter one a quarter. */
function sessionRules(lifetime: number | undefined) {
  if (lifetime === undefined) return undefined;
  return { lifetime, minimumToExtend: Math.min(15, Math.floor(lifetime / 4)) };
}

function nodeConfig(env: EnvironmentValues, dataDirectory: string): NodeConfig {
  if (env.RPC_URL !== undefined) return { kind: "remote", urls: env.RPC_URL, tls: peerTls(env) };
  return {
    kind: "embedded",
    port: env.CHAIN_PORT,
    portSends: env.CHAIN_PORT_SEND === "on",
    blockPeriodSeconds: env.CHAIN_BLOCK_PERIOD,
    directory: join(dataDirectory, "chain"),
  };
}

function relayerSource(env: EnvironmentValues): RelayerSource | undefined {
  const { RELAYER_KEY: key, RELAYER_KEYSTORE_FILE: file, RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
  const { RELAYER_SIGNER_URL: url, RELAYER_ADDRESS: address } = env;
  if (key !== undefined) return { kind: "environment", key };
  if (file !== undefined && passwordFile !== undefined)
    return { kind: "keystore", file: resolve(file), passwordFile: resolve(passwordFile) };
  return url === undefined || address === undefined ? undefined : { kind: "signer", url, address, tls: peerTls(env) };
}

function peerTls(env: EnvironmentValues): PeerTlsConfig {
  return {
    client: certificateFiles(env.RPC_TLS_CERT_FILE, env.RPC_TLS_KEY_FILE),
    authority: env.RPC_TLS_CA_FILE && resolve(env.RPC_TLS_CA_FILE),
  };
}

function certificateFiles(certificate: string | undefined, key: string | undefined): CertificateFiles | undefined {
  if (certificate === undefined || key === undefined) return undefined;
  return { certificate: resolve(certificate), key: resolve(key) };
}

function tokenConfig({
  JWT_KEY: key,
  JWT_ALGORITHM: algorithm,
  JWT_ISSUER: issuer,
  JWT_AUDIENCE: audience,
}: EnvironmentValues) {
  if (key === undefined || issuer === undefined) return undefined;
  const source = /^https?:/i.test(key)
    ? ({ kind: "jwks", url: key } as const)
    : ({ kind: "file", path: resolve(key) } as const);
  return { key: source, algorithm, issuer, audience };
}

function telegramConfig(env: EnvironmentValues, token: string) {
  return {
    token,
    apiUrl: env.TELEGRAM_API_URL,
    /** Messages per minute that the bot answers for one user. */
    ratePerMinute: 30,
    /** Time until the bot deletes its message with a new account's password. */
    passwordSeconds: 300,
    /** Private networks in which the bot may query sensors. */
    sensorNetworks: env.TELEGRAM_SENSOR_NETWORKS,
  };
}
