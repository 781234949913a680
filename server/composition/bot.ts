import { type Bot, createBot } from "../bot/bot.ts";
import type { BotEvent } from "../bot/events.ts";
import type { BotCipher } from "../bot/bot-cipher.ts";
import type { NodeInspector } from "../chain/node/node-inspector.ts";
import type { TelegramConfig } from "../config/telegram.ts";
import { rateLimit } from "../http/limits.ts";
import { errorField, type Logger } from "../kit/logger.ts";
import { NetworkList } from "../kit/network-list.ts";
import type { Pictures } from "../readings/air-quality/pictures.ts";
import { recordIndexStore } from "../records/record-index.ts";
import type { Foundation } from "./foundation.ts";
import type { PublicAddress } from "./public-address.ts";
import type { Records } from "./records.ts";
import type { Sessions } from "./sessions.ts";
import { prefixedHex } from "../kit/bytes.ts";

/** Path of Telegram's webhook. */
export const TELEGRAM_PATH = "/telegram";

/** Data per minute that the bot decodes for a user without an account. */
const STRANGER_RATE = 10;

export interface ChatBotOptions {
  readonly config: TelegramConfig;
  readonly tableName: string;
  readonly readingMaxAgeMilliseconds: number;
  readonly botCipher: BotCipher;
  readonly sessions: Sessions;
  readonly records: Records;
  readonly pictures: Pictures;
  readonly inspect: NodeInspector;
  readonly sender: { readonly address: string };
  readonly lastReconciled: () => Promise<number | null>;
  /** Newest lines of the node's log, without secrets; `undefined` when no log is known. */
  readonly nodeLog: (() => Promise<readonly string[]>) | undefined;
  readonly address: PublicAddress;
}

/** Builds the Telegram bot over the services of the record store's API, and subscribes it to alerts. */
export function createChatBot(foundation: Foundation, options: ChatBotOptions): Bot {
  const { database, journal, head, alerts, alertStore, logger, clock } = foundation;
  const { config, sessions, records, inspect, sender, lastReconciled, address } = options;
  const index = recordIndexStore(database, options.tableName);
  const sensorNetworks = new NetworkList(config.sensorNetworks);
  const bot = createBot({
    config,
    cipher: options.botCipher,
    journal,
    records: records.records,
    accounts: sessions.accounts,
    pictures: options.pictures,
    readingMaxAgeMilliseconds: options.readingMaxAgeMilliseconds,
    decoder: records.decoder,
    decodesPerAccount: records.routeDeps.decodesPerAccount,
    decodesPerStranger: rateLimit(STRANGER_RATE, "transactions decoded for this user"),
    audit: records.routeDeps.audit,
    storesPerAccount: records.routeDeps.storesPerAccount,
    isAllowedSource: (source) => sensorNetworks.has(source),
    inspect,
    relayer: () => sender.address,
    nodeLog: options.nodeLog,
    sync: async () => ({
      copied: (await index.progress())?.blockNumber,
      head: head.head?.number,
      reconciled: (await lastReconciled()) ?? undefined,
    }),
    syncSteps: (limit) => records.syncLog.newest(limit),
    explorerLink: (hash) => `${address.explorerUrl}/tx/${prefixedHex(hash)}`,
    alerts: alertStore,
    onEvent: (event) => logBotEvent(logger, event),
    clock,
  });
  alerts.subscribe(() => bot.onAlert());
  return bot;
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
