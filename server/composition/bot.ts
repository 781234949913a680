import { type Bot, createBot } from "../bot/bot.ts";
import type { BotEvent } from "../bot/events.ts";
import type { NodeInspector } from "../chain/node/node-inspector.ts";
import { configuredSecrets } from "../config/secrets.ts";
import { rateLimit } from "../http/rate-limit.ts";
import { errorField, type Logger } from "../kit/logger.ts";
import { NetworkList } from "../kit/network-list.ts";
import { nodeLogReader } from "../operations/node-log.ts";
import type { Pictures } from "../../air-quality/index.ts";
import { recordIndexStore } from "../records/record-index.ts";
import type { Context } from "./context.ts";
import type { JournalWorkers } from "./journal-workers.ts";
import type { Records } from "./records.ts";
import type { Sessions } from "./sessions.ts";
import type { RelayerTransactions } from "./transactions.ts";
import { prefixedHex } from "../kit/bytes.ts";

/** Data per minute that the bot decodes for a user without an account. */
const STRANGER_RATE = 10;

/** The parts that the bot uses. */
export interface BotParts {
  readonly sessions: Sessions;
  readonly records: Records;
  readonly pictures: Pictures;
  readonly inspect: NodeInspector;
  readonly transactions: RelayerTransactions;
  readonly journalWorkers: JournalWorkers;
}

/**
 * Builds the Telegram bot over the services of the record store's API.
 * @returns `undefined` when none is configured
 */
export function createChatBot(context: Context, parts: BotParts): Bot | undefined {
  const { database, journal, link, head, address, logger, clock } = context;
  const { telegram: config, chain, records: recordConfig, map } = context.config;
  const { botCipher, embeddedLog } = context.opened;
  const { sessions, records, pictures, inspect, transactions, journalWorkers } = parts;
  if (config === undefined || botCipher === undefined) return undefined;
  const index = recordIndexStore(database, context.opened.journalKey, recordConfig.tableName);
  const sensorNetworks = new NetworkList(config.sensorNetworks);
  return createBot({
    config,
    cipher: botCipher,
    journal,
    records: records.records,
    accounts: sessions.accounts,
    pictures,
    readingMaxAgeMilliseconds: map.readingMaxAgeMilliseconds,
    decoder: records.decoder,
    decodesPerAccount: records.routeDeps.decodesPerAccount,
    decodesPerStranger: rateLimit(STRANGER_RATE, "decodes", "transactions decoded for this user"),
    audit: records.routeDeps.audit,
    storesPerAccount: records.routeDeps.storesPerAccount,
    isAllowedSource: (source) => sensorNetworks.has(source),
    inspect,
    relayer: transactions.sender.address,
    nodeLog: nodeLogReader(chain.nodeLogFile, link.embedded && embeddedLog, configuredSecrets(context.config)),
    sync: async () => ({
      copied: (await index.progress())?.blockNumber,
      head: head.head?.number,
      reconciled: journalWorkers.lastReconciled(),
    }),
    syncSteps: (limit) => records.syncLog.newest(limit),
    explorerLink: (hash) => `${address.explorerUrl}/tx/${prefixedHex(hash)}`,
    onEvent: (event) => logBotEvent(logger, event),
    clock,
  });
}

const LEVELS: Readonly<Record<BotEvent["kind"], "info" | "warn" | "error" | "debug">> = {
  ready: "info",
  reachable: "info",
  registered: "info",
  undeliverable: "info",
  unreachable: "warn",
  unreadable: "error",
  failed: "error",
  journal_failing: "error",
};

function logBotEvent(logger: Logger, { kind, ...details }: BotEvent): void {
  logger[LEVELS[kind]](errorField(details), `bot: ${kind.replace("_", " ")}`);
}
