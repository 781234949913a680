import { join, resolve } from "node:path";
import { computeAddress, getAddress, isAddress } from "ethers";
import { z } from "zod";
import { SealbookError } from "./errors.ts";
import { isNetwork } from "./http/access/network-list.ts";
import { parseTargets, type TargetAddress } from "./replica/targets.ts";

const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "is not a whole number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `is not between ${minimum} and ${maximum}`);

const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "is not an http or https address")
  .transform((text) => text.replace(/\/+$/, ""));

const nodeUrl = z
  .string()
  .refine(isNodeUrl, "is not an http, https, ws or wss address, nor ipc:///PATH of a node's socket")
  .transform((text) => text.replace(/\/+$/, ""));

function isNodeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== "ipc:") return /^(https?|wss?):$/.test(url?.protocol ?? "");
  // The path is percent-decoded later, which a stray "%" would not survive.
  return /^ipc:\/\/\/[^/?#]/.test(text) && !/[?#]|%(?![0-9a-f]{2})/i.test(text);
}

function isOneLine(text: string): boolean {
  return text.trim() !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/** Which database the journal is in. */
export type DatabaseConfig =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

const databaseUrl = z
  .string()
  // The value itself never gets into a message: it can hold a password.
  .refine((text) => /^file:./.test(text) || isPostgresUrl(text), "is neither file:PATH nor postgres://USER:PASSWORD@HOST/DATABASE")
  .transform((text): DatabaseConfig =>
    text.startsWith("file:") ? { kind: "sqlite", file: resolve(text.slice("file:".length)) } : { kind: "postgres", url: text },
  );

function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return false;
  // The path is percent-decoded later, and so are name and password, which a stray "%" would not survive.
  const { host, pathname, searchParams } = url;
  return /^\/[^/]+$/.test(pathname) && (host !== "" || searchParams.has("host")) && !/%(?![0-9a-f]{2})/i.test(text);
}

const privateKey = z
  .string()
  .transform((text) => (text.startsWith("0x") ? text : `0x${text}`))
  // The value itself never gets into a message: it is a secret.
  .refine(isPrivateKey, "is not a private key of 64 hexadecimal digits");

const address = z
  .string()
  .refine((text) => /^0x/.test(text) && isAddress(text), "is not a blockchain address: 0x and 40 hexadecimal digits")
  .transform((text) => getAddress(text));

function isPrivateKey(text: string): boolean {
  try {
    computeAddress(text);
    return true;
  } catch {
    return false;
  }
}

/** As OpenSSL prints them: pairs of hexadecimal digits with colons. */
const fingerprints = z.string().transform((text, context): string[] =>
  text.split(",").map((item) => item.trim()).filter((item) => item !== "").flatMap((item) => {
    const digits = item.replaceAll(":", "").toUpperCase();
    if (/^[0-9A-F]{64}$/.test(digits)) return [(digits.match(/../g) ?? []).join(":")];
    context.addIssue({ code: "custom", message: `"${item}" is not the SHA-256 of a certificate, 32 bytes in hexadecimal` });
    return [];
  }),
);

const validatorNames = z.string().transform((text, context) => {
  const names = new Map<string, string>();
  for (const pair of text.split(",").filter((item) => item.trim() !== "")) {
    const [address = "", name = ""] = pair.split("=").map((part) => part.trim());
    if (!/^0x[0-9a-fA-F]{40}$/.test(address) || name === "") {
      context.addIssue({ code: "custom", message: `"${pair.trim()}" is not of the form 0xADDRESS=NAME` });
      return z.NEVER;
    }
    names.set(address.toLowerCase(), name);
  }
  return names;
});

const replicaTargets = z.string().transform((text, context) => {
  const { targets, faults } = parseTargets(text);
  for (const message of faults) context.addIssue({ code: "custom", message });
  return targets;
});

const INSIDE = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,fc00::/7,fe80::/10";

const networks = z.string().transform((text, context): string[] => {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  for (const item of items) {
    if (isNetwork(item)) continue;
    context.addIssue({ code: "custom", message: `"${item}" is not an address, nor a network such as 10.0.0.0/8` });
    return z.NEVER;
  }
  return items;
});

const webhooks = z.string().transform((text, context): string[] => {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  for (const [index, item] of items.entries()) {
    // Name and password are percent-decoded later, which a stray "%" would not survive.
    if (/^https?:$/.test(URL.parse(item)?.protocol ?? "") && !/%(?![0-9a-f]{2})/i.test(item)) continue;
    // The address itself may hold a secret.
    context.addIssue({ code: "custom", message: `has an item, number ${index + 1}, that is not an http or https address` });
    return z.NEVER;
  }
  return items;
});

const AUTHENTICATIONS = ["none", "apikey", "jwt", "apikey,jwt"] as const;
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;

/**
 * Every environment variable that the server reads. The description is what the README's table says; `unset` says
 * what holds without a value, where no default does.
 */
const Environment = z.object({
  HOST: z.string().min(1).default("127.0.0.1").meta({ description: "Address to listen on" }),
  PORT: whole(0, 65535).default(8080).meta({ description: "Port to listen on; 0 takes any free one" }),
  TLS_CERT_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the certificate to listen with, and of those that lead from it to its authority; taken anew when it changes",
    unset: "no TLS",
  }),
  TLS_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the certificate's key, without a passphrase; both or none",
    unset: "no TLS",
  }),
  DATA_DIR: z.string().min(1).default("./data").meta({
    description: "Folder for everything that must survive: database, embedded chain, contract addresses, keys",
  }),
  RPC_URL: nodeUrl.optional().meta({
    description: "JSON-RPC address of the chain's node: `http(s)://`, `ws(s)://`, or `ipc:///PATH` of its socket",
    unset: "the embedded chain",
  }),
  RPC_TLS_CERT_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the certificate that is shown to the node at an `https` or `wss` address",
    unset: "none",
  }),
  RPC_TLS_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of that certificate's key, without a passphrase; both or none",
    unset: "none",
  }),
  RPC_TLS_CA_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the authorities that may have issued the node's certificate",
    unset: "the usual ones",
  }),
  RPC_TLS_PIN: fingerprints.default([]).meta({
    description: "SHA-256 of the certificates that the node may have, separated by commas",
    unset: "any that the authorities have issued",
  }),
  CHAIN_PORT: whole(0, 65535).default(8545).meta({
    description: "Port of the embedded chain's own JSON-RPC on loopback; 0 takes any free one",
  }),
  CHAIN_BLOCK_PERIOD: whole(0, 60).default(0).meta({
    description: "Seconds between the embedded chain's blocks; 0 makes one as soon as a transaction waits",
  }),
  DATABASE_URL: databaseUrl.optional().meta({
    description: "The database: `file:PATH` of an SQLite file, or `postgres://USER:PASSWORD@HOST/DATABASE`, PostgreSQL 15 or newer",
    unset: "`sealbook.sqlite` in `DATA_DIR`",
  }),
  RELAYER_KEY: privateKey.optional().meta({
    description: "Private key that signs and pays for transactions, hexadecimal; needed with `RPC_URL`",
    unset: "made at the first start of the embedded chain, kept in `DATA_DIR/keys.json`",
  }),
  RELAYER_KEYSTORE_FILE: z.string().min(1).optional().meta({
    description: "Keystore (version 3) of that key, instead of it; taken anew when `npm run relayer -- rotate` changes it",
    unset: "`RELAYER_KEY`",
  }),
  RELAYER_KEYSTORE_PASSWORD_FILE: z.string().min(1).optional().meta({
    description: "File with the keystore's password; needed with it",
    unset: "none",
  }),
  RELAYER_SIGNER_URL: httpUrl.optional().meta({
    description: "Address of a Web3Signer that has the key, instead of it",
    unset: "`RELAYER_KEY`",
  }),
  RELAYER_ADDRESS: address.optional().meta({
    description: "Address of the key that the Web3Signer has; needed with it",
    unset: "none",
  }),
  ADMIN_KEY: privateKey.optional().meta({
    description: "Private key that deploys the contracts and enrols accounts; with `RPC_URL` only scripts need it",
    unset: "made and kept like `RELAYER_KEY`; the two have to differ",
  }),
  GAS_PRICE: whole(0, 1e15).default(0).meta({ description: "Gas price of transactions, in wei" }),
  SESSION_LIFETIME: whole(1, 86_400).optional().meta({
    description: "Seconds that a session lives; written into the contract",
    unset: "60 at deployment, then what the contract says",
  }),
  SESSION_MINIMUM_TO_EXTEND: whole(0, 86_399).optional().meta({
    description: "A session needs more than this many seconds left to be extended; written into the contract",
    unset: "15 at deployment, then what the contract says",
  }),
  CHAIN_WAIT: whole(1, 600).default(30).meta({
    description: "Seconds that a session or store call waits for the chain before it answers 503",
  }),
  PROOF_WAIT: whole(1, 600).default(30).meta({
    description: "Seconds that a proof request waits for its confirmation before it answers 202 `pending`",
  }),
  BATCH_MAX_AGE: whole(1, 600).default(12).meta({
    description: "Longest time in seconds that a hash waits for others to share a transaction with",
  }),
  MAX_OUTSTANDING: whole(1, 100_000_000).default(1_000_000).meta({
    description: "Proofs that may wait for the chain; past that number no more are accepted, with 503",
  }),
  ANCHOR_DEADLINE: whole(1, 86_400).default(60).meta({
    description: "Seconds after which a proof that is not on chain raises an alert",
  }),
  TAKEOVER_AFTER: whole(1, 86_400).default(60).meta({
    description: "Seconds after which a relayer sees to what another one on the same database has left undone",
  }),
  SEAL_INTERVAL: whole(1, 2_592_000).default(600).meta({
    description: "Seconds between anchors of the journal's own digest, while there is something new in it",
  }),
  RECONCILE_INTERVAL: whole(1, 86_400).default(60).meta({
    description: "Seconds between comparisons of what is new in the journal with the chain",
  }),
  RECONCILE_FULL_INTERVAL: whole(1, 31_536_000).default(86_400).meta({
    description: "Seconds between comparisons of everything: journal, replicas and chain",
  }),
  REPLICA_TARGETS: replicaTargets.default([]).meta({
    description:
      "Where the journal is replicated to: `file:///PATH` and `s3://BUCKET/PREFIX`, separated by commas; " +
      "see [docs/operate.md](docs/operate.md)",
    unset: "nowhere",
  }),
  REPLICA_INTERVAL: whole(1, 3_600).default(5).meta({
    description: "Seconds that entries of the journal are gathered before they are shipped to the targets",
  }),
  REPLICA_LAG_LIMIT: whole(1, 86_400).default(60).meta({
    description: "Seconds that a target may be behind the journal before an alert is raised",
  }),
  ALERT_WEBHOOKS: webhooks.default([]).meta({
    description: "Addresses that alerts are posted to in the format of Alertmanager's API v2, as `https://HOST/api/v2/alerts,...`",
    unset: "none",
  }),
  ALERT_WEBHOOK_SECRET: z.string().min(16, "is shorter than 16 characters").optional().meta({
    description: "Signs what is posted to webhooks: HMAC-SHA256 in `X-Sealbook-Signature`",
    unset: "not signed",
  }),
  ALLOWED_NETWORKS: networks.default(networks.parse(INSIDE)).meta({
    description: "Networks from which the integrity-proof API and the metrics may be used, as `10.0.0.0/8,...`",
    unset: "loopback, private and link-local ones",
  }),
  TRUSTED_PROXIES: networks.default([]).meta({
    description: "Networks of proxies whose `X-Forwarded-For` is believed",
    unset: "none",
  }),
  API_AUTH: z.enum(AUTHENTICATIONS).default("none").meta({
    description: "What callers of the integrity-proof API have to show: `none`, `apikey`, `jwt`, or `apikey,jwt` for either",
  }),
  JWT_PUBLIC_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the public key that tokens are checked with",
    unset: "`JWT_JWKS_URL`",
  }),
  JWT_JWKS_URL: httpUrl.refine((text) => new URL(text).username === "" && new URL(text).password === "", "holds a name or password, which is sent nowhere").optional().meta({
    description: "Address of the JWKS that tokens are checked with",
    unset: "`JWT_PUBLIC_KEY_FILE`",
  }),
  JWT_ALGORITHM: z.enum(ALGORITHMS).default("RS256").meta({
    description: "The one algorithm that tokens are signed with",
  }),
  JWT_ISSUER: z.string().min(1).optional().meta({
    description: "Issuer that tokens have to name; needed with `jwt`",
    unset: "none",
  }),
  JWT_AUDIENCE: z.string().min(1).default("sealbook").meta({ description: "Audience that tokens have to name" }),
  TABLE_NAME: z.string().min(1).max(64).default("events").meta({
    description: "Name of the table on chain that records go to",
  }),
  LOGIN_ATTEMPTS_PER_ADDRESS: whole(1, 1_000_000).default(10).meta({
    description: "Failed logins within a minute that lock one login out: for a minute, then ever longer",
  }),
  LOGIN_ATTEMPTS_PER_SOURCE: whole(1, 1_000_000).default(100).meta({
    description: "Failed logins within a minute that lock one network address out, likewise",
  }),
  STORE_RATE: whole(1, 1_000_000).default(6_000).meta({ description: "Records a minute that one account may store" }),
  VALIDATOR_NAMES: validatorNames.default(new Map()).meta({
    description: "Names of block proposers, as `0xADDRESS=NAME,...`",
    unset: "their addresses",
  }),
  PUBLIC_URL: httpUrl.optional().meta({
    description: "Address under which clients reach this server, for the links in its answers",
    unset: "`http://HOST:PORT`, with TLS `https://HOST:PORT`",
  }),
  ISSUER_NAME: z.string().max(200, "is longer than 200 characters").refine(isOneLine, "is not one line of text").default("Sealbook appliance").meta({
    description: "Who signs attestations, as they name it",
  }),
  EXPLORER_URL: httpUrl.optional().meta({
    description: "Block explorer that `verification_url` leads to, as `EXPLORER_URL/tx/HASH`",
    unset: "`PUBLIC_URL/api/v1/proof`",
  }),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info").meta({
    description: "Least severe level that is logged: fatal, error, warn, info, debug, or silent for none",
  }),
});

/** The environment variables, as text. */
export type EnvironmentVariables = Readonly<Partial<Record<keyof z.input<typeof Environment>, string>>>;

/** Which chain the relayer talks to. */
export type ChainConfig =
  | { readonly kind: "embedded"; readonly port: number; readonly blockPeriodSeconds: number; readonly directory: string }
  | { readonly kind: "remote"; readonly url: string; readonly tls: NodeTlsConfig };

/** What a node is shown over TLS, and by what it is known. */
export interface NodeTlsConfig {
  readonly client: CertificateFiles | undefined;
  /** PEM file. */
  readonly authority: string | undefined;
  readonly pins: readonly string[];
}

/** A certificate and its key, as PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Who has the relayer's key. */
export type RelayerSource =
  | { readonly kind: "environment"; readonly key: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | { readonly kind: "signer"; readonly url: string; readonly address: string };

/** Whose tokens are taken. */
export interface TokenConfig {
  readonly key: { readonly kind: "file"; readonly path: string } | { readonly kind: "jwks"; readonly url: string };
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly issuer: string;
  readonly audience: string;
}

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
  readonly validatorNames: ReadonlyMap<string, string>;
  readonly publicUrl: string | undefined;
  readonly explorerUrl: string | undefined;
  /** Who signs attestations. */
  readonly issuerName: string;
  readonly logLevel: z.output<typeof Environment>["LOG_LEVEL"];
}

/** The variables of this process. Nothing else reads `process.env`. */
export function readEnv(): EnvironmentVariables {
  const names = Object.keys(Environment.shape);
  // A variable that is set to nothing is what shells make of an unset one.
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
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
  const details: { path: string; message: string }[] = [];
  const relayer = relayerSource(env, details);
  if (env.RPC_URL !== undefined) {
    if (relays && relayer === undefined) {
      details.push({ path: "RELAYER_KEY", message: "is needed with RPC_URL, or RELAYER_KEYSTORE_FILE, or RELAYER_SIGNER_URL" });
    }
    for (const name of ["CHAIN_PORT", "CHAIN_BLOCK_PERIOD"] as const) {
      if (variables[name] !== undefined) details.push({ path: name, message: "is for the embedded chain, but RPC_URL is set" });
    }
  }
  if (env.RELAYER_KEY !== undefined && env.RELAYER_KEY.toLowerCase() === env.ADMIN_KEY?.toLowerCase()) {
    details.push({ path: "ADMIN_KEY", message: "is the same key as RELAYER_KEY: each needs its own nonces and rights" });
  }
  const { SESSION_LIFETIME: lifetime, SESSION_MINIMUM_TO_EXTEND: minimum } = env;
  if (lifetime !== undefined && minimum !== undefined && minimum >= lifetime) {
    details.push({ path: "SESSION_MINIMUM_TO_EXTEND", message: "is not less than SESSION_LIFETIME" });
  }
  if (env.REPLICA_LAG_LIMIT <= env.REPLICA_INTERVAL) {
    details.push({ path: "REPLICA_LAG_LIMIT", message: "is not more than REPLICA_INTERVAL" });
  }
  const nodeTls = nodeTlsConfig(env, variables, details);
  const tls = certificateFiles("TLS", env.TLS_CERT_FILE, env.TLS_KEY_FILE, details);
  const tokens = env.API_AUTH.includes("jwt") ? tokenConfig(env, details) : undefined;
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
        : { kind: "remote", url: env.RPC_URL, tls: nodeTls },
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
    validatorNames: env.VALIDATOR_NAMES,
    publicUrl: env.PUBLIC_URL,
    explorerUrl: env.EXPLORER_URL,
    issuerName: env.ISSUER_NAME,
    logLevel: env.LOG_LEVEL,
  };
}

/** @param details told what is missing or contradicts */
function relayerSource(env: z.output<typeof Environment>, details: { path: string; message: string }[]): RelayerSource | undefined {
  const { RELAYER_KEY: key, RELAYER_KEYSTORE_FILE: file, RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
  const { RELAYER_SIGNER_URL: url, RELAYER_ADDRESS: signer } = env;
  const pairs = { RELAYER_KEYSTORE_FILE: file, RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile, RELAYER_SIGNER_URL: url, RELAYER_ADDRESS: signer };
  for (const [one, other] of [["RELAYER_KEYSTORE_FILE", "RELAYER_KEYSTORE_PASSWORD_FILE"], ["RELAYER_SIGNER_URL", "RELAYER_ADDRESS"]] as const) {
    if (pairs[one] !== undefined && pairs[other] === undefined) details.push({ path: other, message: `is needed with ${one}` });
    if (pairs[one] === undefined && pairs[other] !== undefined) details.push({ path: one, message: `is needed with ${other}` });
  }
  const sources = Object.entries({ RELAYER_KEY: key, RELAYER_KEYSTORE_FILE: file, RELAYER_SIGNER_URL: url }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const [first, ...others] = sources;
  for (const path of others) details.push({ path, message: `is set beside ${first}; one of them` });
  if (key !== undefined) return { kind: "environment", key };
  if (file !== undefined && passwordFile !== undefined) return { kind: "keystore", file: resolve(file), passwordFile: resolve(passwordFile) };
  return url !== undefined && signer !== undefined ? { kind: "signer", url, address: signer } : undefined;
}

/** @param details told what is missing or contradicts */
function nodeTlsConfig(
  env: z.output<typeof Environment>,
  variables: EnvironmentVariables,
  details: { path: string; message: string }[],
): NodeTlsConfig {
  const secure = /^(https|wss):/.test(env.RPC_URL ?? "");
  for (const name of ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE", "RPC_TLS_CA_FILE", "RPC_TLS_PIN"] as const) {
    if (variables[name] !== undefined && !secure) details.push({ path: name, message: "is for a node whose RPC_URL is an https or wss address" });
  }
  const { RPC_TLS_CERT_FILE: certificate, RPC_TLS_KEY_FILE: key, RPC_TLS_CA_FILE: authority, RPC_TLS_PIN: pins } = env;
  return {
    client: certificateFiles("RPC_TLS", certificate, key, details),
    authority: authority === undefined ? undefined : resolve(authority),
    pins,
  };
}

/** @param details told when there is one without the other */
function certificateFiles(
  prefix: "TLS" | "RPC_TLS",
  certificate: string | undefined,
  key: string | undefined,
  details: { path: string; message: string }[],
): CertificateFiles | undefined {
  if (certificate !== undefined && key !== undefined) return { certificate: resolve(certificate), key: resolve(key) };
  if (certificate !== undefined) details.push({ path: `${prefix}_KEY_FILE`, message: `is needed with ${prefix}_CERT_FILE` });
  if (key !== undefined) details.push({ path: `${prefix}_CERT_FILE`, message: `is needed with ${prefix}_KEY_FILE` });
  return undefined;
}

/** @param details told what is missing or contradicts */
function tokenConfig(env: z.output<typeof Environment>, details: { path: string; message: string }[]): TokenConfig | undefined {
  const { JWT_PUBLIC_KEY_FILE: file, JWT_JWKS_URL: url, JWT_ISSUER: issuer } = env;
  if (file !== undefined && url !== undefined) details.push({ path: "JWT_JWKS_URL", message: "is set beside JWT_PUBLIC_KEY_FILE; one of them" });
  if (file === undefined && url === undefined) details.push({ path: "JWT_PUBLIC_KEY_FILE", message: "or JWT_JWKS_URL is needed with API_AUTH=jwt" });
  if (issuer === undefined) details.push({ path: "JWT_ISSUER", message: "is needed with API_AUTH=jwt" });
  const key = file !== undefined ? ({ kind: "file", path: resolve(file) } as const) : url !== undefined ? ({ kind: "jwks", url } as const) : undefined;
  if (key === undefined || issuer === undefined) return undefined;
  return { key, algorithm: env.JWT_ALGORITHM, issuer, audience: env.JWT_AUDIENCE };
}

/** The table of variables for the README, in Markdown. */
export function configurationTable(): string {
  const defaults: Record<string, unknown> = Environment.parse({});
  const rows = Object.entries(Environment.shape).map(([name, schema]) => {
    const { description, unset } = schema.meta() ?? {};
    const value = typeof unset === "string" ? unset : `\`${String(defaults[name])}\``;
    return `| \`${name}\` | ${description} | ${value} |`;
  });
  return ["| Variable | Meaning | When unset |", "|---|---|---|", ...rows].join("\n");
}

function refusal(details: readonly { path: string; message: string }[]): SealbookError {
  const lines = details.map(({ path, message }) => `${path} ${message}`);
  return new SealbookError("config_invalid", lines.join("; "), { details });
}
