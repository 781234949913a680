import * as z from "zod";
import {
  address,
  databaseUrl,
  hostNames,
  httpUrl,
  INSIDE,
  networks,
  nodeUrls,
  oneLine,
  origins,
  privateKey,
  publicKeySource,
  relayerAddresses,
  replicaTargets,
  telegramToken,
  tileUrl,
  validatorNames,
  webhooks,
  whole,
} from "./notations.ts";

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"] as const;

/** @param unset Effect of a missing value */
function file(description: string, unset: string) {
  return z.string().min(1).optional().meta({ description, unset });
}

/** An acknowledgement for one start. */
function yes(description: string) {
  return z.enum(["no", "yes"]).default("no").meta({ description });
}

const PROCESS = {
  DATA_DIR: z.string().min(1).default("./data").meta({
    description: "Folder of all persistent data: database, embedded chain, contract addresses, keys",
  }),
  DATABASE_URL: databaseUrl.optional().meta({
    description:
      "Address of the database: `file:PATH` of an SQLite file, or " +
      "`postgres://USER:PASSWORD@HOST/DATABASE`, PostgreSQL 15 or newer",
    unset: "`sealbook.sqlite` in `DATA_DIR`",
  }),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info").meta({
    description: "Lowest level that is logged: fatal, error, warn, info, debug, or silent for none",
  }),
};

const LISTENER = {
  HOST: z.string().min(1).default("127.0.0.1").meta({ description: "Address to listen on" }),
  PORT: whole(0, 65535).default(8080).meta({ description: "Port to listen on; 0 takes any free one" }),
  PUBLIC_URL: httpUrl.optional().meta({
    description: "Address at which clients reach this server, for the links in its responses",
    unset: "`http://HOST:PORT`, with TLS `https://HOST:PORT`",
  }),
  TLS_CERT_FILE: file(
    "PEM file of the listener's certificate and its intermediate certificates; loaded again when it changes",
    "no TLS",
  ),
  TLS_KEY_FILE: file("PEM file of the certificate's key, without a passphrase; requires `TLS_CERT_FILE`", "no TLS"),
  ALLOWED_NETWORKS: networks.default(networks.parse(INSIDE)).meta({
    description: "Networks with access to the integrity-proof API, the explorer and the metrics, as `10.0.0.0/8,...`",
    unset: "loopback, private and link-local ones",
  }),
  ALLOWED_HOSTS: hostNames.default([]).meta({
    description: "Names of the server in requests, as `sealbook.example,...`; requests for other hosts get 421",
    unset: "`localhost`, the address of the connection, and the hosts of `HOST` and `PUBLIC_URL`, which always count",
  }),
  ALLOWED_ORIGINS: origins.default([]).meta({
    description: "Origins of other pages that may call the APIs, without cookies, as `https://app.example,...`",
    unset: "none",
  }),
  TRUSTED_PROXIES: networks.default([]).meta({
    description: "Networks of proxies whose `X-Forwarded-For` is trusted",
    unset: "none",
  }),
  REQUEST_RATE: whole(1, 1_000_000)
    .default(2_000)
    .meta({
      description:
        "Requests per second from one network address, counted over ten seconds; each 16 KiB of a body or response " +
        "count as a further one. Trusted proxies that forward no address have no limit",
    }),
};

const AUTHENTICATION = {
  API_AUTH: z
    .enum(["none", "apikey", "jwt", "apikey,jwt"])
    .default("none")
    .meta({
      description:
        "Authentication of the integrity-proof API, the explorer's API and the metrics: `none`, `apikey`, `jwt`, or " +
        "`apikey,jwt` for either",
    }),
  API_AUTH_EXEMPT: z
    .string()
    .regex(
      /^(none|(metrics|explorer|verify)(,(metrics|explorer|verify))*)$/,
      "is not none, or of metrics, explorer, verify",
    )
    .default("none")
    .meta({
      description:
        "Parts without the authentication of `API_AUTH`: `none`, or a list of `metrics`, `explorer`, `verify`. " +
        "Verification then names no document",
    }),
  JWT_KEY: publicKeySource.optional().meta({
    description:
      "Key that verifies tokens: the path of a PEM file with the public key, or the `http(s)://` address of a JWKS",
    unset: "none; required with `jwt`",
  }),
  JWT_ALGORITHM: z.enum(ALGORITHMS).default("RS256").meta({
    description: "Required signature algorithm of tokens",
  }),
  JWT_ISSUER: z.string().min(1).optional().meta({
    description: "Required issuer of tokens",
    unset: "none; required with `jwt`",
  }),
  JWT_AUDIENCE: z.string().min(1).default("sealbook").meta({ description: "Required audience of tokens" }),
};

const CHAIN = {
  RPC_URL: nodeUrls.optional().meta({
    description:
      "JSON-RPC address of the chain's node, `http://` or `https://`; with several, separated by commas, the server " +
      "fails over between them",
    unset: "the embedded chain",
  }),
  RPC_TLS_CERT_FILE: file(
    "PEM file of the client certificate for a node, or a Web3Signer, at an `https` address",
    "none",
  ),
  RPC_TLS_KEY_FILE: file(
    "PEM file of that certificate's key, without a passphrase; requires `RPC_TLS_CERT_FILE`",
    "none",
  ),
  RPC_TLS_CA_FILE: file(
    "PEM file of the authorities trusted to issue the certificates of node and signer",
    "those of Node.js",
  ),
  CONFIRMATIONS: z
    .union([z.literal("finalized"), whole(0, 1_000)])
    .default(0)
    .meta({
      description:
        "Blocks on top of a block until it counts: until then nothing in it is confirmed. `finalized` waits until " +
        "the chain calls the block so. 0 is for chains whose blocks never change, such as IBFT 2.0 and QBFT; " +
        "requires `RPC_URL`",
    }),
  NODE_LIST_FILE: file(
    "JSON file with the enode URLs of the network's nodes, as in `static-nodes.json`; the server reports " +
      "missing peers and peers that are not on the list; requires `RPC_URL`",
    "no list",
  ),
  NODE_LOG_FILE: file(
    "Log file of the chain's node; `/gethlog` shows its newest lines without secrets",
    "the log of the embedded chain",
  ),
  VALIDATOR_NAMES: validatorNames.default(new Map()).meta({
    description: "Names of block proposers, as `0xADDRESS=NAME,...`",
    unset: "their addresses",
  }),
  CHAIN_PORT: whole(0, 65535).default(8545).meta({
    description: "Port of the embedded chain's own JSON-RPC on loopback, for queries; 0 takes any free one",
  }),
  CHAIN_PORT_SEND: z.enum(["off", "on"]).default("off").meta({
    description: "`on`: `CHAIN_PORT` takes transactions of every program of this machine, for development",
  }),
  CHAIN_BLOCK_PERIOD: whole(0, 60).default(0).meta({
    description: "Seconds between the embedded chain's blocks; 0 makes a block as soon as a transaction waits",
  }),
};

const KEYS = {
  RELAYER_KEY: privateKey.optional().meta({
    description: "Private key that signs and pays for transactions, hexadecimal; required with `RPC_URL`",
    unset: "generated at the first start of the embedded chain in `DATA_DIR/keys.json`",
  }),
  RELAYER_KEYSTORE_FILE: file("Keystore (version 3) of that key, instead of `RELAYER_KEY`", "`RELAYER_KEY`"),
  RELAYER_KEYSTORE_PASSWORD_FILE: file(
    "File with the keystore's password; required with `RELAYER_KEYSTORE_FILE`",
    "none",
  ),
  RELAYER_SIGNER_URL: httpUrl.optional().meta({
    description: "Address of a Web3Signer with that key, instead of `RELAYER_KEY`",
    unset: "`RELAYER_KEY`",
  }),
  RELAYER_ADDRESS: address.optional().meta({
    description: "Address of the Web3Signer's key; required with `RELAYER_SIGNER_URL`",
    unset: "none",
  }),
  ADMIN_KEY: privateKey.optional().meta({
    description:
      "Private key that deploys the contracts and enrols accounts; with `RPC_URL` the server needs it only for the " +
      "bot and to change `SESSION_LIFETIME`",
    unset: "generated like `RELAYER_KEY`; the two must differ",
  }),
  FEE_MODE: z.enum(["auto", "legacy", "eip1559"]).default("auto").meta({
    description: "Kind of transactions; `auto` signs those of EIP-1559 on a chain with a base fee, else legacy ones",
  }),
  GAS_PRICE: whole(0, 1e15).optional().meta({
    description: "Fixed gas price of legacy transactions, in wei; with it no transaction is replaced",
    unset: "what the chain asks for: 0 on a chain without fees",
  }),
  MAX_FEE: whole(0, 1e15).default(200_000_000_000).meta({
    description: "Most that a unit of gas may cost, in wei, for a transaction and for what replaces it",
  }),
};

const RECORDS = {
  TABLE_NAME: z.string().min(1).max(64).default("events").meta({
    description: "Name of the records' table on chain",
  }),
  SESSION_LIFETIME: whole(1, 86_400)
    .optional()
    .meta({
      description:
        "Lifetime of a session in seconds, written into the contract; it can be extended while more than 15 s are " +
        "left, with a lifetime below 60 s while more than a quarter is left",
      unset: "60 at deployment, then the value in the contract",
    }),
  CHAIN_WAIT: whole(1, 600).default(30).meta({
    description: "Seconds that a session or store call waits for the chain before it responds 503",
  }),
  STORE_RATE: whole(1, 1_000_000).default(6_000).meta({ description: "Records per minute that one account may store" }),
  QUERY_RATE: whole(1, 1_000_000).default(600).meta({
    description: "Searches and decoded transactions per minute and account, each",
  }),
};

const PROOFS = {
  PROOF_WAIT: whole(1, 600)
    .default(30)
    .meta({
      description:
        "Seconds that a proof request waits for its confirmation before it responds 202 `pending`; during a stall of " +
        "the chain it does so at once",
    }),
  BATCH_MAX_AGE: whole(1, 600).default(12).meta({
    description: "Maximum time in seconds that a hash waits for others to share its transaction",
  }),
  EXPLORER_URL: httpUrl.optional().meta({
    description: "Block explorer for `verification_url`, as `EXPLORER_URL/tx/HASH`",
    unset: "the server's own, `PUBLIC_URL/explorer`",
  }),
  ISSUER_NAME: oneLine.default("Sealbook appliance").meta({ description: "Name of the issuer in attestations" }),
  ISSUER_KEY_PASSWORD_FILE: file(
    "File with the password that encrypts the issuer's private key in `DATA_DIR` and in the journal; see " +
      "[Issuer keys](operate.md#issuer-keys)",
    "the key is not encrypted, and in no replica",
  ),
};

const JOURNAL = {
  JOURNAL_KEY_FILE: file(
    "File with the journal's key, which several relayers of one journal share; see " +
      "[The journal's key](operate.md#the-journals-key)",
    "`journal.key` in `DATA_DIR`, created at the first start",
  ),
  RELAYERS: relayerAddresses.optional().meta({
    description:
      "All relayers of the journal with the addresses at which they reach each other, as `one=https://one.example,...`; " +
      "see [Several relayers](operate.md#several-relayers)",
    unset: "a relayer that does not lead forwards nothing",
  }),
  RELAYER_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "is not 1 to 64 letters, digits, dots, hyphens and underscores")
    .optional()
    .meta({ description: "The one in `RELAYERS` that this relayer is", unset: "needed with `RELAYERS`" }),
  CHECKPOINT_INTERVAL: whole(1, 2_592_000).default(600).meta({
    description: "Seconds between anchors of the journal's own digest, while there is something new in it",
  }),
  REPLICA_TARGETS: replicaTargets.default([]).meta({
    description:
      "Targets of the journal's replicas: `file:///PATH` and `s3://BUCKET/PREFIX`, separated by commas; " +
      "see [operate.md](operate.md)",
    unset: "none",
  }),
  NEW_JOURNAL: yes(
    "`yes` starts an empty journal although `DATA_DIR` or the chain shows that there was one; otherwise the " +
      "server refuses to start: [operate.md](operate.md#failure-modes)",
  ),
};

const ALERTS = {
  ALERT_WEBHOOKS: webhooks.default([]).meta({
    description:
      "Addresses to which alerts are posted in the format of Alertmanager's API v2, as " +
      "`https://HOST/api/v2/alerts,...`",
    unset: "none",
  }),
  ALERT_WEBHOOK_SECRET: z.string().min(16, "is shorter than 16 characters").optional().meta({
    description: "Secret that signs requests to webhooks: HMAC-SHA256 in `X-Sealbook-Signature`",
    unset: "no signature",
  }),
};

const BOT_AND_MAP = {
  TELEGRAM_TOKEN: telegramToken.optional().meta({
    description: "Token of the Telegram bot; see [telegram.md](telegram.md)",
    unset: "no bot",
  }),
  TELEGRAM_API_URL: httpUrl
    .default("https://api.telegram.org")
    .meta({ description: "Address of Telegram's Bot API, or of your own Bot API server; requires `TELEGRAM_TOKEN`" }),
  TELEGRAM_SENSOR_NETWORKS: networks.default([]).meta({
    description: "Private networks in which the bot may query sensors, as `10.1.0.0/16,...`; requires `TELEGRAM_TOKEN`",
    unset: "none",
  }),
  TILE_URL: tileUrl.optional().meta({
    description:
      "Address of the air-quality map's tiles, which browsers fetch, as `https://HOST/{z}/{x}/{y}.png`, " +
      "also with `{s}.` before the host",
    unset: "a plain built-in map",
  }),
  TILE_ATTRIBUTION: oneLine.optional().meta({
    description: "Attribution that the tiles' provider requires; required with `TILE_URL`",
    unset: "none",
  }),
};

/** The variables by the headings of docs/configuration.md. */
export const GROUPS = {
  "Process and data": PROCESS,
  Listener: LISTENER,
  Authentication: AUTHENTICATION,
  Chain: CHAIN,
  "Keys and fees": KEYS,
  "Record store": RECORDS,
  "Integrity proofs": PROOFS,
  Journal: JOURNAL,
  Alerts: ALERTS,
  "Telegram bot and map": BOT_AND_MAP,
};

/**
 * Every environment variable that the server reads. The tables of docs/configuration.md are generated from it:
 * `description` is the meaning, `unset` the effect of a missing value without a default.
 */
export const Environment = z.object({
  ...PROCESS,
  ...LISTENER,
  ...AUTHENTICATION,
  ...CHAIN,
  ...KEYS,
  ...RECORDS,
  ...PROOFS,
  ...JOURNAL,
  ...ALERTS,
  ...BOT_AND_MAP,
});

/** Values of the variables, each parsed on its own. */
export type EnvironmentValues = z.output<typeof Environment>;

/** The environment variables, as text. */
export type EnvironmentVariables = Readonly<Partial<Record<keyof EnvironmentValues, string>>>;

/** Returns whether npm started this process: `npm run`, or `npx`. */
export function isStartedByNpm(): boolean {
  return process.env["npm_lifecycle_event"] !== undefined;
}

/** The variables of this process. Nothing else reads `process.env`. */
export function readEnv(): EnvironmentVariables {
  const names = Object.keys(Environment.shape);
  // Shells set unset variables to the empty text.
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
