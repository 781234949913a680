import type { RequestHandler } from "express";
import type { AlertStore } from "../operations/index.ts";
import type { Pictures } from "../readings/index.ts";
import type { BotJournal, BotStores } from "./journal.ts";
import type { RecordService } from "../records/index.ts";
import type { AccountService } from "../sessions/index.ts";
import { AlertChat } from "./alert-chat.ts";
import { airQualityCommands } from "./commands/air-quality.ts";
import { auditCommands, type AuditDeps } from "./commands/audit.ts";
import { chainCommands, type ChainDeps } from "./commands/chain.ts";
import { say } from "./commands/command.ts";
import { COMMAND_NAMES } from "./commands/names.ts";
import { pmCommand } from "./commands/pm.ts";
import { confirmation, registrationCommands } from "./commands/registration.ts";
import { conversation } from "./conversation.ts";
import type { BotEventSink } from "./events.ts";
import { Inbox } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import { Reception } from "./reception.ts";
import type { Seal } from "./seal.ts";
import { sourceReader } from "./sensor-source.ts";
import { Telegram } from "./telegram.ts";
import { type Texts, TEXTS } from "./texts/texts.ts";
import { Users } from "./user.ts";

/** What the bot was told. */
export interface BotConfig {
  readonly token: string;
  readonly apiUrl: string;
  readonly webhookUrl: string | undefined;
  readonly adminChat: number | undefined;
  /** Messages that one person is answered in a minute. */
  readonly ratePerMinute: number;
  readonly passwordSeconds: number;
}

/** What the bot needs of the server. */
export interface BotDeps extends Omit<ChainDeps, "records" | "serviceLog">, Omit<AuditDeps, "file"> {
  readonly config: BotConfig;
  /** Seals what the bot knows. */
  readonly seal: Seal;
  readonly journal: BotJournal;
  readonly records: RecordService<BotStores>;
  readonly accounts: AccountService | undefined;
  readonly pictures: Pictures;
  readonly readingMaxAgeMilliseconds: number;
  readonly alerts: AlertStore;
  readonly storesPerAccount: (account: string) => Promise<void>;
  /** Addresses that sensors may have though they are not on the internet. */
  readonly isAllowedSource: (address: string) => boolean;
  readonly onEvent: BotEventSink;
}

/** How long a stop waits for messages that are on their way to Telegram. */
const PATIENCE_MILLISECONDS = 3_000;

/** The bot, put together. */
export interface Bot {
  /** What Telegram posts to when there is a webhook. */
  readonly webhook: RequestHandler;
  start(): Promise<void>;
  /** Says that an alert was raised or resolved. */
  onAlert(): void;
  /** Ends when nothing is under way; what waits is taken up at the next start. */
  stop(): Promise<void>;
}

export function createBot(deps: BotDeps): Bot {
  const { config, seal, journal, clock, onEvent, accounts, records, storesPerAccount, explorerLink } = deps;
  const telegram = new Telegram(config);
  const outbox = new Outbox({ journal, seal, telegram, clock, onEvent });
  let name: string | undefined;
  const answer = conversation({
    commands: {
      ...registrationCommands({ accounts }),
      ...airQualityCommands({ ...deps, records: journal.records }),
      ...chainCommands({ ...deps, records: journal.records, serviceLog: journal.serviceLog }),
      ...auditCommands({
        ...deps,
        file: ({ fileId, size = 0 }, maximum) =>
          size > maximum ? Promise.resolve(undefined) : telegram.file(fileId, maximum),
      }),
      help: async ({ texts }) => say(texts.help(commandList(texts))),
      pm: pmCommand({
        accounts: journal.accounts,
        records,
        readSource: sourceReader(deps.isAllowedSource),
        storesPerAccount,
        explorerLink,
      }),
    },
    confirm: confirmation({
      journal,
      accounts,
      passwordSeconds: config.passwordSeconds,
      onRegistered: (account) => onEvent({ kind: "registered", account }),
    }),
    users: new Users(journal, seal),
    perMinute: config.ratePerMinute,
    name: () => name,
    onEvent,
  });
  const inbox = new Inbox({ journal, seal, outbox, answer, clock, onEvent });
  const reception = new Reception({
    telegram,
    token: config.token,
    webhookUrl: config.webhookUrl,
    receive: (updates) => inbox.receive(updates),
    async prepare(found) {
      name = found;
      await telegram.setMenu(menu(TEXTS.en));
      await telegram.setMenu(menu(TEXTS.ru), "ru");
    },
    onEvent,
  });
  const alertChat =
    config.adminChat === undefined
      ? undefined
      : new AlertChat({ chat: config.adminChat, store: deps.alerts, journal, outbox, onEvent });

  return {
    webhook: reception.webhook,
    async start() {
      outbox.wake();
      await inbox.start();
      await alertChat?.start();
      reception.start();
    },
    onAlert: () => alertChat?.wake(),
    async stop() {
      const patience = setTimeout(() => telegram.end(), PATIENCE_MILLISECONDS);
      reception.end();
      await inbox.stop();
      await alertChat?.stop();
      await outbox.stop();
      clearTimeout(patience);
      telegram.end();
      await reception.stop();
    },
  };
}

function menu(texts: Texts): { command: string; description: string }[] {
  return COMMAND_NAMES.map((command) => ({ command, description: texts.commands[command] }));
}

function commandList(texts: Texts): string {
  return COMMAND_NAMES.map((command) => `/${command} ${texts.commands[command]}`).join("\n");
}
