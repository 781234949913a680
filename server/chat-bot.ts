import { type Bot, createBot } from "./bot/bot.ts";
import type { BotEvent } from "./bot/events.ts";
import { bzip2 } from "./chain/bzip2.ts";
import { decodeCallData } from "./chain/calldata.ts";
import type { Config } from "./config/config.ts";
import type { Pictures } from "./domain/air-quality/pictures.ts";
import type { AlertStore } from "./domain/alerts/alert.ts";
import type { Clock, Journal, NodeInspector } from "./domain/ports.ts";
import { NetworkList } from "./http/access/network-list.ts";
import { copyStore } from "./journal/record-copy.ts";
import { nodeLogReader } from "./node-log.ts";
import type { Opened } from "./opening.ts";
import type { RecordKeeping } from "./record-keeping.ts";
import { errorField, type Logger } from "./telemetry/logger.ts";

/** Where Telegram posts to, when it does. */
export const TELEGRAM_PATH = "/telegram";

export interface ChatBotParts {
  readonly config: Config;
  readonly opened: Pick<Opened, "link" | "database" | "embeddedLog" | "botSeal">;
  readonly journal: Journal;
  readonly recordKeeping: Pick<RecordKeeping, "accounts" | "api">;
  readonly alerts: AlertStore;
  readonly pictures: Pictures;
  readonly inspect: NodeInspector;
  readonly relayer: () => string;
  readonly head: () => number | undefined;
  readonly lastReconciled: () => Promise<number | null>;
  /** Address under which this server is reached. */
  readonly url: () => string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The Telegram bot over the same services as the record store's API; `undefined` unless there is to be one. */
export function createChatBot(parts: ChatBotParts): Bot | undefined {
  const { config, opened, journal, recordKeeping, lastReconciled, head, url, logger } = parts;
  const { telegram } = config;
  const { link, database, embeddedLog, botSeal } = opened;
  if (telegram === undefined || botSeal === undefined) return undefined;
  const copy = copyStore(database, config.tableName);
  const sensorNetworks = new NetworkList(telegram.sensorNetworks);
  return createBot({
    ...parts,
    config: telegram,
    seal: botSeal,
    journal,
    records: recordKeeping.api.records,
    accounts: recordKeeping.accounts,
    readingMaxAgeMilliseconds: config.map.readingMaxAgeMilliseconds,
    decode: (inputdata) => decodeCallData(inputdata),
    bzip2,
    storesPerAccount: recordKeeping.api.storesPerAccount,
    isAllowedSource: (address) => sensorNetworks.has(address),
    nodeLog: nodeLogReader(config, link.embedded && embeddedLog),
    sync: async () => ({ copied: (await copy.progress())?.blockNumber, head: head(), reconciled: (await lastReconciled()) ?? undefined }),
    explorerLink: (hash) => `${config.explorerUrl ?? `${url()}/explorer`}/tx/0x${Buffer.from(hash).toString("hex")}`,
    onEvent: (event) => logBotEvent(logger, event),
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
