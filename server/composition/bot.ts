import { type Bot, createBot } from "../bot/bot.ts";
import type { BotEvent } from "../bot/events.ts";
import { bzip2 } from "../records/bzip2.ts";
import { decodeCallData } from "../records/call-data/call-data.ts";
import type { Config } from "../config/config.ts";
import type { Pictures } from "../readings/air-quality/pictures.ts";
import type { AlertStore } from "../operations/alert.ts";
import type { Clock } from "../kit/clock.ts";
import type { Journal } from "./journal.ts";
import type { NodeInspector } from "../chain/node/node-report.ts";
import { NetworkList } from "../kit/network-list.ts";
import { recordIndexStore } from "../records/record-index-store.ts";
import { nodeLogReader } from "../operations/node-log.ts";
import type { Opened } from "./resources.ts";
import type { RecordStoreService } from "./records.ts";
import { errorField, type Logger } from "../kit/logger.ts";

/** Where Telegram posts to, when it does. */
export const TELEGRAM_PATH = "/telegram";

export interface ChatBotDeps {
  readonly config: Config;
  readonly opened: Pick<Opened, "link" | "database" | "embeddedLog" | "botSeal">;
  readonly journal: Journal;
  readonly recordKeeping: Pick<RecordStoreService, "accounts" | "api" | "records">;
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
export function createChatBot(deps: ChatBotDeps): Bot | undefined {
  const { config, opened, journal, recordKeeping, lastReconciled, head, url, logger } = deps;
  const { telegram } = config;
  const { link, database, embeddedLog, botSeal } = opened;
  if (telegram === undefined || botSeal === undefined) return undefined;
  const copy = recordIndexStore(database, config.records.tableName);
  const sensorNetworks = new NetworkList(telegram.sensorNetworks);
  return createBot({
    ...deps,
    config: telegram,
    seal: botSeal,
    journal,
    records: recordKeeping.records,
    accounts: recordKeeping.accounts,
    readingMaxAgeMilliseconds: config.map.readingMaxAgeMilliseconds,
    decode: (inputdata) => decodeCallData(inputdata),
    bzip2,
    storesPerAccount: recordKeeping.api.storesPerAccount,
    isAllowedSource: (address) => sensorNetworks.has(address),
    nodeLog: nodeLogReader(config.chain.nodeLogFile, link.embedded && embeddedLog, secretsOf(config)),
    sync: async () => ({
      copied: (await copy.progress())?.blockNumber,
      head: head(),
      reconciled: (await lastReconciled()) ?? undefined,
    }),
    explorerLink: (hash) => `${config.explorer.url ?? `${url()}/explorer`}/tx/0x${Buffer.from(hash).toString("hex")}`,
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

/** Those of this server, which a node could have been told. */
function secretsOf({ chain, telegram, alerts, database }: Config): string[] {
  const { node, relayer, administratorKey } = chain;
  const addresses = [
    ...(database.kind === "postgres" ? [database.url] : []),
    ...(node.kind === "remote" ? node.urls : []),
  ];
  const passwords = addresses.flatMap((address) => {
    const password = URL.parse(address)?.password ?? "";
    return [password, decodeURIComponent(password)];
  });
  const own = [
    relayer?.kind === "environment" ? relayer.key : undefined,
    administratorKey,
    telegram?.token,
    alerts.webhookSecret,
  ];
  return [...own, ...passwords].flatMap((secret) => (secret === undefined || secret === "" ? [] : [secret]));
}
