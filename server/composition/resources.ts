import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BotCipher } from "../bot/bot-cipher.ts";
import { openChainLink } from "./chain.ts";
import type { ChainLink, ChainLinkEvent } from "./chain-link.ts";
import { ChainGuard } from "../chain/identity.ts";
import { isWrongChain } from "../chain/rpc/rpc.ts";
import { canBeginAnew } from "./fresh-folder.ts";
import { ValidatorHistory } from "../chain/consensus/validators.ts";
import { EmbeddedLog } from "../chain/embedded/embedded-log.ts";
import { useFastKeccak } from "../chain/fast-crypto.ts";
import type { CertificateFiles, Config, TokenConfig } from "../config/config.ts";
import { assertJournalExists, assertJournalOfRelayer, holdDataFolder, pinDataFolder } from "./data-folder.ts";
import { reasonOf, SealbookError } from "../errors.ts";
import type { Peers } from "../http/forwarding/relayer-call.ts";
import { ForwardedCalls } from "../http/forwarding/forwarded-call.ts";
import { KnownLeader } from "../http/forwarding/known-leader.ts";
import { ListenerCertificate } from "../http/listener-certificate.ts";
import type { TokenVerifier } from "../http/access/token-verifier.ts";
import { type IssuerKeyStore, issuerKeyStore } from "../issuer/issuer-key-store.ts";
import { IssuerKeys, issuerKeysFile } from "../issuer/issuer-keys.ts";
import { readPassword } from "../chain/keys/keystore.ts";
import { openSharedJournal, type SharedJournal } from "./journal-database.ts";
import { chatStore } from "../bot/chat-store.ts";
import type { Database } from "../journal/engine/database.ts";
import { leaderOf } from "../journal/leader/leader-of.ts";
import type { LeaderSession } from "../journal/leader/leader-session.ts";
import { chainIdentityStore, newestContract, validatorSetStore } from "../journal/contract-store.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { StorageGuard } from "../journal/engine/storage-guard.ts";
import type { Clock } from "../kit/time.ts";
import type { Logger } from "../kit/logger.ts";
import { packageVersion } from "../kit/program-files.ts";
import { WorkerPool } from "../kit/workers/worker-pool.ts";
import { Metrics } from "../operations/metrics.ts";
import { PublicAddress } from "./public-address.ts";

/** Resources that are open before any part is built. */
export interface Opened {
  readonly link: ChainLink;
  readonly journal: SharedJournal;
  readonly leadership: LeaderSeat;
  readonly relayers: { readonly peers: Peers; readonly forwardedCalls: ForwardedCalls } | undefined;
  /** The key that rows of the journal are written and checked with. */
  readonly journalKey: JournalKey;
  readonly metrics: Metrics;
  readonly address: PublicAddress;
  /** The threads of heavy work. */
  readonly workers: WorkerPool;
  /** Validators whose blocks the server accepts. */
  readonly validators: ValidatorHistory;
  /** Files that the journal depends on. */
  readonly storage: StorageGuard;
  /** Verifies bearer tokens; without it none is accepted. */
  readonly tokens: TokenVerifier | undefined;
  readonly issuerKeys: IssuerKeys;
  /** Certificate of the listener; without it there is no TLS. */
  readonly certificate: ListenerCertificate | undefined;
  /** Newest events of the embedded chain. */
  readonly embeddedLog: EmbeddedLog;
  /** Encrypts the bot's data; undefined without a bot. */
  readonly botCipher: BotCipher | undefined;
  /** By `performance.now()`: the server is older than its role. */
  readonly startedAt: number;
  /** Closes all of them. */
  readonly resources: AsyncDisposableStack;
}

/** The session that this relayer leads with; without one it follows, or the database has no sessions. */
export interface LeaderSeat {
  session: LeaderSession | undefined;
  /** When this relayer has made room for another one, by `performance.now()`. */
  steppedDownAt?: number;
}

/** Returns whether this relayer leads: with a session, or because nobody else can. */
export function isLeader({ journal, leadership }: Opened): boolean {
  return journal.candidate === undefined || leadership.session !== undefined;
}

/** Replacements for tests. */
interface Overrides {
  readonly clock?: Clock;
  readonly leaderSilenceMilliseconds?: number;
}

/** Locks the data folder, and opens the chain, the journal and everything else in files. */
export async function openAll(config: Config, logger: Logger, overrides: Overrides): Promise<Opened> {
  const resources = new AsyncDisposableStack();
  const startedAt = performance.now();
  try {
    await useFastKeccak();
    const workers = new WorkerPool();
    resources.defer(() => workers.stop());
    const lock = await holdDataFolder(config.dataDirectory);
    resources.defer(() => lock.release());
    const storage = new StorageGuard();
    pinDataFolder(config.dataDirectory, storage);
    if (!config.journal.mayBeNew) await assertJournalExists(config.chain, config.database);
    const journal = await openSharedJournal(config, storage, {
      holder: config.relayers?.self ?? "",
      silenceMilliseconds: overrides.leaderSilenceMilliseconds,
      onFailure: (err) => logger.warn({ err }, "the database does not say who leads; this relayer asks again"),
    });
    resources.defer(() => journal.close());
    const leadership: LeaderSeat = { session: await journal.candidate?.attempt() };
    resources.defer(() => leadership.session?.end());
    const database = journal.roleDatabase(() => leadership.session);
    const { key: journalKey } = journal;
    const validators = await ValidatorHistory.open(validatorSetStore(database, journalKey));
    const guard = await ChainGuard.open(chainIdentityStore(database), await newestContract(database));
    const embeddedLog = new EmbeddedLog();
    const link = await openChainLink(config.chain, {
      share: false,
      clock: overrides.clock ?? Date.now,
      guard,
      onEvent(event) {
        logLinkEvent(logger, config, event);
        if (event.kind === "embedded") embeddedLog.onEvent(event.event);
      },
    });
    resources.defer(() => link.close());
    if (!config.journal.mayBeNew) await assertJournalOfRelayer(database, link);
    const tokens = config.access.tokens && (await openTokenVerifier(config.access.tokens));
    const issuerKeys = await openIssuerKeys(config, issuerKeyStore(database, journalKey), logger);
    const certificate = config.http.tls && (await openCertificate(config.http.tls, logger));
    const botCipher =
      config.telegram &&
      (await BotCipher.load(join(config.dataDirectory, "bot-key"), (await chatStore(database).users()) > 0));
    return {
      link,
      journal,
      leadership,
      relayers: config.relayers && relayersOf(config.relayers, journalKey, database, leadership),
      journalKey,
      metrics: new Metrics(packageVersion()),
      address: new PublicAddress(config.http.publicUrl, config.explorer.url),
      workers,
      validators,
      storage,
      tokens,
      issuerKeys,
      certificate,
      embeddedLog,
      botCipher,
      startedAt,
      resources,
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

function relayersOf(
  peers: NonNullable<Config["relayers"]>,
  journalKey: JournalKey,
  database: Database,
  seat: LeaderSeat,
): NonNullable<Opened["relayers"]> {
  const key = journalKey.callKey();
  return {
    peers: { ...peers, key, leader: new KnownLeader(() => leaderOf(database)) },
    forwardedCalls: new ForwardedCalls(key, peers.self, () => seat.session?.epoch),
  };
}

/** @throws SealbookError `config_invalid` when the key cannot be read */
async function openTokenVerifier({ key, ...rules }: TokenConfig): Promise<TokenVerifier> {
  const { tokenVerifier } = await import("../http/access/token-verifier.ts");
  if (key.kind === "jwks") return tokenVerifier({ ...rules, key });
  try {
    return await tokenVerifier({ ...rules, key: { kind: "pem", text: readFileSync(key.path, "utf8") } });
  } catch (cause) {
    const message = `JWT_KEY: no ${rules.algorithm} key can be read from ${key.path}: ${reasonOf(cause)}`;
    throw new SealbookError("config_invalid", message, { cause });
  }
}

/** @throws SealbookError `config_invalid` when the keys cannot be used */
async function openIssuerKeys(
  { dataDirectory, issuer: { keyPasswordFile: passwordFile } }: Config,
  journal: IssuerKeyStore,
  logger: Logger,
): Promise<IssuerKeys> {
  const password = passwordFile && (await readPassword("ISSUER_KEY_PASSWORD_FILE", passwordFile));
  return IssuerKeys.open(issuerKeysFile(dataDirectory), {
    password,
    journal,
    onLocked: (key) =>
      logger.warn(
        { key },
        "the journal has the issuer's key in encrypted form, and ISSUER_KEY_PASSWORD_FILE is not set; " +
          "the server created a new key",
      ),
  });
}

/** @throws SealbookError `config_invalid` when the certificate cannot be used */
function openCertificate(files: CertificateFiles, logger: Logger): Promise<ListenerCertificate> {
  return ListenerCertificate.open(files, (event) =>
    event.kind === "replaced"
      ? logger.info(
          { expires: new Date(event.expires).toISOString() },
          "there is a new certificate; new connections use it",
        )
      : logger.error(
          { reason: event.reason },
          "the new certificate cannot be used; the server keeps the old one; check TLS_CERT_FILE and TLS_KEY_FILE",
        ),
  );
}

function logLinkEvent(logger: Logger, config: Config, event: ChainLinkEvent): void {
  if (event.kind === "embedded") {
    const { kind, ...details } = event.event;
    const grave = [
      "interrupted",
      "broken",
      "snapshot-unusable",
      "snapshot-failed",
      "resume-failed",
      "clock-ahead",
    ].includes(kind);
    logger[grave ? "error" : kind === "snapshot-written" ? "debug" : "info"](details, `embedded chain: ${kind}`);
  } else if (event.kind === "failed_over") {
    logger.warn({ ...event.event }, "switched to another node of the chain");
  } else if (event.kind === "deployed") {
    logger.info({ address: event.address }, `${event.contract} deployed`);
  } else if (isWrongChain(event.error)) {
    const remedy = canBeginAnew(config.chain, config.database)
      ? "start with --fresh: it begins a new folder and keeps this one"
      : "set DATA_DIR and DATABASE_URL to new places";
    logger.error(
      `${config.dataDirectory} belongs to another chain than the one at RPC_URL: ${reasonOf(event.error)}. ` +
        `The server works when RPC_URL serves the chain of that folder; for the new chain, ${remedy}`,
    );
  } else {
    logger.warn({ err: event.error }, "the chain cannot be used; starting without it");
  }
}
