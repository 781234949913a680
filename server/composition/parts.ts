import type { Bot } from "../bot/bot.ts";
import type { NodeInspector } from "../chain/node/node-inspector.ts";
import type { Config } from "../config/config.ts";
import { configuredSecrets } from "../config/secrets.ts";
import { reconciliationStore } from "../journal/reconciliation/store.ts";
import type { Clock } from "../kit/time.ts";
import { nodeLogReader } from "../operations/node-log.ts";
import { AttestationPrinter } from "../attestation/pdf/attestation-printer.ts";
import { DrawnPictures } from "../readings/pictures/drawn-pictures.ts";
import { ChainDecoder } from "../explorer/decoder.ts";
import type * as ChatBot from "./bot.ts";
import { headFile } from "./data-folder.ts";
import type { Foundation } from "./foundation.ts";
import { createJournalWorkers, type JournalWorkers } from "./journal-workers.ts";
import { createNodeInspector } from "./node.ts";
import { createOperations, type Operations } from "./operations.ts";
import { registerProofMetrics } from "./proof-metrics.ts";
import { type Proofs, createProofs } from "./proofs.ts";
import { PublicAddress } from "./public-address.ts";
import { createRecords, type Records } from "./records.ts";
import { createRecovery, type Recovery } from "./recovery.ts";
import type { Opened } from "./resources.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createStorageMonitor } from "./storage.ts";
import { createTransactions, type RelayerTransactions, type TransactionPeriods } from "./transactions.ts";

/** Replacements for tests. */
export interface ServerOverrides extends TransactionPeriods {
  readonly clock?: Clock;
  /** Never jumps; for durations. */
  readonly steadyClock?: Clock;
  /** Between two checks of the chain's node. */
  readonly nodeIntervalMilliseconds?: number;
  /** Between two queries for the newest block, where the node does not announce it. */
  readonly headMilliseconds?: number;
  /** Cost of a new keystore: scrypt's N. */
  readonly keystoreRounds?: number;
}

/** The parts of the server. They are built in this order; each may use the parts before it. */
export interface Parts {
  readonly foundation: Foundation;
  readonly address: PublicAddress;
  readonly transactions: RelayerTransactions;
  readonly inspect: NodeInspector;
  readonly sessions: Sessions;
  readonly records: Records;
  readonly proofs: Proofs;
  readonly journalWorkers: JournalWorkers;
  readonly recovery: Recovery;
  readonly operations: Operations;
  readonly pictures: DrawnPictures;
  readonly printer: AttestationPrinter;
  readonly explorerDecoder: ChainDecoder;
  readonly bot: Bot | undefined;
}

export interface BuildOptions {
  readonly config: Config;
  readonly opened: Opened;
  readonly overrides: ServerOverrides;
  /** Loaded only when there is to be a bot. */
  readonly chatBot: typeof ChatBot | undefined;
}

/** Builds every part; nothing runs yet. */
export function buildParts(foundation: Foundation, options: BuildOptions): Parts {
  const { config, opened, overrides } = options;
  const { chainLagMilliseconds, keystoreRounds, nodeIntervalMilliseconds } = overrides;
  const address = new PublicAddress(config.http.publicUrl, config.explorer.url);
  const transactions = createTransactions(foundation, config.chain, overrides);
  const { sender } = transactions;
  const inspect = createNodeInspector(foundation, config.chain, sender);
  const sessions = createSessions(foundation, {
    config: config.sessions,
    dataDirectory: config.dataDirectory,
    transactions: sender,
    keystoreRounds,
    hasBot: options.chatBot !== undefined,
  });
  const records = createRecords(foundation, {
    config: config.records,
    location: config.database,
    assertInPlace: () => opened.storage.assertInPlace(),
    tables: opened.tables,
    sessions: sessions.sessions,
    transactions: sender,
    chainLagMilliseconds,
  });
  const { targets } = opened;
  const journalWorkers = createJournalWorkers(foundation, {
    config: config.journal,
    headFile: headFile(config.dataDirectory),
    transactions: sender,
    targets,
  });
  const proofs = buildProofs(foundation, config, transactions, journalWorkers);
  const recovery = createRecovery(foundation, config.recovery);
  const operations = createOperations(foundation, {
    config: config.alerts,
    inspect,
    transactions,
    journalWorkers,
    address,
    storage: createStorageMonitor(foundation, config, opened),
    clockLimitMilliseconds: config.chain.clockLimitMilliseconds,
    nodeIntervalMilliseconds,
  });
  const pictures = new DrawnPictures(foundation.workers, config.map.tiles);
  const printer = new AttestationPrinter(foundation.workers);
  const explorerDecoder = new ChainDecoder(
    foundation.workers,
    foundation.link.deployment.contracts,
    opened.former.map(({ address }) => address),
  );
  const parts = { foundation, address, transactions, inspect, sessions, records, proofs, journalWorkers };
  const built = { ...parts, recovery, operations, pictures, printer, explorerDecoder };
  return { ...built, bot: buildBot(built, options) };
}

function buildProofs(
  foundation: Foundation,
  config: Config,
  { sender }: RelayerTransactions,
  { syncReplication }: JournalWorkers,
): Proofs {
  const { journal, database, signer, proofAnchor, head, divergences, telemetry, logger, clock, steadyClock } =
    foundation;
  const proofs = createProofs({
    ...config.proofs,
    takeOverMilliseconds: config.chain.takeOverMilliseconds,
    journal,
    chain: proofAnchor,
    entryVerifier: foundation.entryVerifier,
    reconciliation: reconciliationStore(database, signer.address),
    openDivergences: () => divergences.subjects,
    recheckMilliseconds: config.journal.reconcileIntervalMilliseconds,
    transactions: sender,
    replication: syncReplication,
    telemetry,
    clock,
    steadyClock,
    onRetry: (count) => logger.warn({ count }, "failed anchors are retried in new transactions"),
  });
  head.subscribe((newest) => proofs.onHead(newest));
  registerProofMetrics(foundation, proofs, config.proofs.maxInFlight);
  return proofs;
}

function buildBot(
  { foundation, address, transactions, inspect, sessions, records, journalWorkers, pictures }: Omit<Parts, "bot">,
  { config, opened, chatBot }: BuildOptions,
): Bot | undefined {
  const { telegram, chain } = config;
  if (chatBot === undefined || telegram === undefined || opened.botCipher === undefined) return undefined;
  const embeddedLog = foundation.link.embedded && opened.embeddedLog;
  return chatBot.createChatBot(foundation, {
    config: telegram,
    tableName: config.records.tableName,
    readingMaxAgeMilliseconds: config.map.readingMaxAgeMilliseconds,
    botCipher: opened.botCipher,
    sessions,
    records,
    pictures,
    inspect,
    sender: transactions.sender,
    lastReconciled: () => journalWorkers.lastReconciled(),
    nodeLog: nodeLogReader(chain.nodeLogFile, embeddedLog, configuredSecrets(config)),
    address,
  });
}
