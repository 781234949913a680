import { z } from "zod";
import {
  address,
  chatNumber,
  databaseUrl,
  fingerprints,
  httpUrl,
  INSIDE,
  isOneLine,
  networks,
  nodeUrls,
  privateKey,
  replicaTargets,
  telegramToken,
  tileUrl,
  validatorNames,
  webhooks,
  whole,
} from "./notations.ts";

const AUTHENTICATIONS = ["none", "apikey", "jwt", "apikey,jwt"] as const;
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/**
 * Every environment variable that the server reads. The description is the text of docs/configuration.md; `unset` says
 * what holds without a value, where no default does.
 */
export const Environment = z.object({
  HOST: z.string().min(1).default("127.0.0.1").meta({ description: "Address to listen on" }),
  PORT: whole(0, 65535).default(8080).meta({ description: "Port to listen on; 0 takes any free one" }),
  TLS_CERT_FILE: z.string().min(1).optional().meta({
    description:
      "PEM file of the certificate to listen with, and of those that lead from it to its authority; taken anew when it changes",
    unset: "no TLS",
  }),
  TLS_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the certificate's key, without a passphrase; both or none",
    unset: "no TLS",
  }),
  DATA_DIR: z.string().min(1).default("./data").meta({
    description: "Folder for everything that must survive: database, embedded chain, contract addresses, keys",
  }),
  RPC_URL: nodeUrls.optional().meta({
    description:
      "JSON-RPC address of the chain's node: `http(s)://`, `ws(s)://`, or `ipc:///PATH` of its socket; several, separated by commas, stand in for each other",
    unset: "the embedded chain",
  }),
  NODE_LIST_FILE: z.string().min(1).optional().meta({
    description:
      "JSON file with the enode URLs of the network's nodes, as in `static-nodes.json`: peers that lack, and peers that are not on it, are told",
    unset: "no list",
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
    description:
      "The database: `file:PATH` of an SQLite file, or `postgres://USER:PASSWORD@HOST/DATABASE`, PostgreSQL 15 or newer",
    unset: "`sealbook.sqlite` in `DATA_DIR`",
  }),
  RELAYER_KEY: privateKey.optional().meta({
    description: "Private key that signs and pays for transactions, hexadecimal; needed with `RPC_URL`",
    unset: "made at the first start of the embedded chain, kept in `DATA_DIR/keys.json`",
  }),
  RELAYER_KEYSTORE_FILE: z.string().min(1).optional().meta({
    description:
      "Keystore (version 3) of that key, instead of it; taken anew when `npm run relayer -- rotate` changes it",
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
  RELAYER_SIGNER_TLS_CERT_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the certificate that is shown to a signer at an `https` address",
    unset: "none",
  }),
  RELAYER_SIGNER_TLS_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of that certificate's key, without a passphrase; both or none",
    unset: "none",
  }),
  RELAYER_SIGNER_TLS_CA_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the authorities that may have issued the signer's certificate",
    unset: "the usual ones",
  }),
  RELAYER_SIGNER_TLS_PIN: fingerprints.default([]).meta({
    description: "SHA-256 of the certificates that the signer may have, separated by commas",
    unset: "any that the authorities have issued",
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
  CHECKPOINT_INTERVAL: whole(1, 2_592_000).default(600).meta({
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
      "see [operate.md](operate.md)",
    unset: "nowhere",
  }),
  REPLICA_INTERVAL: whole(1, 3_600).default(5).meta({
    description: "Seconds that entries of the journal are gathered before they are shipped to the targets",
  }),
  REPLICA_LAG_LIMIT: whole(1, 86_400).default(60).meta({
    description: "Seconds that a target may be behind the journal before an alert is raised",
  }),
  ALERT_WEBHOOKS: webhooks.default([]).meta({
    description:
      "Addresses that alerts are posted to in the format of Alertmanager's API v2, as `https://HOST/api/v2/alerts,...`",
    unset: "none",
  }),
  ALERT_WEBHOOK_SECRET: z.string().min(16, "is shorter than 16 characters").optional().meta({
    description: "Signs what is posted to webhooks: HMAC-SHA256 in `X-Sealbook-Signature`",
    unset: "not signed",
  }),
  ALLOWED_NETWORKS: networks.default(networks.parse(INSIDE)).meta({
    description:
      "Networks from which the integrity-proof API, the explorer and the metrics may be used, as `10.0.0.0/8,...`",
    unset: "loopback, private and link-local ones",
  }),
  TRUSTED_PROXIES: networks.default([]).meta({
    description: "Networks of proxies whose `X-Forwarded-For` is believed",
    unset: "none",
  }),
  API_AUTH: z.enum(AUTHENTICATIONS).default("none").meta({
    description:
      "What callers of the integrity-proof API have to show: `none`, `apikey`, `jwt`, or `apikey,jwt` for either",
  }),
  JWT_PUBLIC_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the public key that tokens are checked with",
    unset: "`JWT_JWKS_URL`",
  }),
  JWT_JWKS_URL: httpUrl
    .refine(
      (text) => new URL(text).username === "" && new URL(text).password === "",
      "holds a name or password, which is sent nowhere",
    )
    .optional()
    .meta({
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
  EXPLORER_RATE: whole(1, 1_000_000).default(600).meta({
    description: "Questions a minute that one network address may put to the explorer",
  }),
  VALIDATOR_NAMES: validatorNames.default(new Map()).meta({
    description: "Names of block proposers, as `0xADDRESS=NAME,...`",
    unset: "their addresses",
  }),
  PUBLIC_URL: httpUrl.optional().meta({
    description: "Address under which clients reach this server, for the links in its answers",
    unset: "`http://HOST:PORT`, with TLS `https://HOST:PORT`",
  }),
  ISSUER_NAME: z
    .string()
    .max(200, "is longer than 200 characters")
    .refine(isOneLine, "is not one line of text")
    .default("Sealbook appliance")
    .meta({
      description: "Who signs attestations, as they name it",
    }),
  EXPLORER_URL: httpUrl.optional().meta({
    description: "Block explorer that `verification_url` leads to, as `EXPLORER_URL/tx/HASH`",
    unset: "the server's own, `PUBLIC_URL/explorer`",
  }),
  TELEGRAM_TOKEN: telegramToken.optional().meta({
    description: "Token of the Telegram bot; see [telegram.md](telegram.md)",
    unset: "no bot",
  }),
  TELEGRAM_API_URL: httpUrl
    .default("https://api.telegram.org")
    .meta({ description: "Address of Telegram's Bot API, or of a server of one's own" }),
  TELEGRAM_WEBHOOK_URL: httpUrl
    .refine((text) => new URL(text).protocol === "https:", "is not an https address")
    .optional()
    .meta({
      description: "Address at which Telegram reaches this server's `/telegram`, which it then posts to",
      unset: "Telegram is asked",
    }),
  TELEGRAM_ADMIN_CHAT: chatNumber
    .optional()
    .meta({ description: "Number of the chat that is told of alerts", unset: "none" }),
  TELEGRAM_RATE: whole(1, 10_000).default(30).meta({ description: "Messages a minute that one person is answered" }),
  TELEGRAM_PASSWORD_LIFETIME: whole(1, 86_400).default(300).meta({
    description: "Seconds after which the message with a new account's password deletes itself",
  }),
  TELEGRAM_SENSOR_NETWORKS: networks.default([]).meta({
    description:
      "Networks in which sensors may be asked for values although they are not on the internet, as `10.1.0.0/16,...`",
    unset: "none",
  }),
  NODE_LOG_FILE: z.string().min(1).optional().meta({
    description: "Log of the chain's node, whose newest lines `/gethlog` shows without secrets",
    unset: "what the embedded chain tells",
  }),
  TILE_URL: tileUrl.optional().meta({
    description:
      "Tiles for the air-quality map, as `https://HOST/{z}/{x}/{y}.png`, also with `{s}.` before the host; browsers fetch them from there",
    unset: "a plain map that comes with the product",
  }),
  TILE_ATTRIBUTION: z
    .string()
    .max(200, "is longer than 200 characters")
    .refine(isOneLine, "is not one line of text")
    .optional()
    .meta({
      description: "Whose map the tiles are, as their provider wants it said; needed with `TILE_URL`",
      unset: "none",
    }),
  READING_MAX_AGE: whole(60, 604_800).default(21_600).meta({
    description: "Seconds after which a sensor's value is not current any more on maps",
  }),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info").meta({
    description: "Least severe level that is logged: fatal, error, warn, info, debug, or silent for none",
  }),
});

/** What the variables say, each read for itself. */
export type EnvironmentValues = z.output<typeof Environment>;

/** The environment variables, as text. */
export type EnvironmentVariables = Readonly<Partial<Record<keyof z.input<typeof Environment>, string>>>;

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

/** The table of docs/configuration.md, in Markdown. */
export function configurationTable(): string {
  const defaults: Record<string, unknown> = Environment.parse({});
  const rows = Object.entries(Environment.shape).map(([name, schema]) => {
    const { description, unset } = schema.meta() ?? {};
    const value = typeof unset === "string" ? unset : `\`${String(defaults[name])}\``;
    return `| \`${name}\` | ${description} | ${value} |`;
  });
  return ["| Variable | Meaning | When unset |", "|---|---|---|", ...rows].join("\n");
}
