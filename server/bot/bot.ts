import type { Pictures } from "../../air-quality/index.ts";
import type { BotJournal } from "./journal.ts";
import type { RecordService } from "../records/index.ts";
import type { AccountService } from "../sessions/index.ts";
import { airQualityCommands } from "./commands/air-quality.ts";
import { auditCommands, type AuditDeps } from "./commands/audit.ts";
import { chainCommands, type ChainDeps } from "./commands/chain.ts";
import { textReply } from "./commands/command.ts";
import { COMMAND_NAMES } from "./commands/names.ts";
import { confirmation, pmCommand, registrationCommands } from "./commands/registration.ts";
import { conversation } from "./conversation.ts";
import type { BotEventSink } from "./events.ts";
import { UpdateQueue } from "./update-queue.ts";
import { MessageExpiry } from "./message-expiry.ts";
import { MessageSender } from "./message-sender.ts";
import { UpdateReceiver } from "./update-receiver.ts";
import type { BotCipher } from "./bot-cipher.ts";
import { sourceReader } from "./sensor-source.ts";
import { Telegram } from "./telegram.ts";
import { type Texts, TEXTS } from "./texts/texts.ts";
import { Users } from "./user.ts";

/** Settings of the bot. */
export interface BotConfig {
  readonly token: string;
  readonly apiUrl: string;
  /** Messages per minute that the bot answers for one user. */
  readonly ratePerMinute: number;
  readonly passwordSeconds: number;
}

/** Dependencies of the bot. */
export interface BotDeps extends Omit<ChainDeps, "records" | "serviceLog">, Omit<AuditDeps, "file"> {
  readonly config: BotConfig;
  /** Encrypts the bot's data. */
  readonly cipher: BotCipher;
  readonly journal: BotJournal;
  readonly records: Pick<RecordService, "store">;
  readonly accounts: AccountService | undefined;
  readonly pictures: Pictures;
  readonly readingMaxAgeMilliseconds: number;
  readonly storesPerAccount: (account: string) => Promise<void>;
  /** Returns whether a non-public address is allowed for sensors. */
  readonly isAllowedSource: (address: string) => boolean;
  readonly onEvent: BotEventSink;
}

/** Maximum wait of a stop for messages in flight. */
const STOP_GRACE_MILLISECONDS = 3_000;

/** The Telegram bot. */
export interface Bot {
  start(): Promise<void>;
  /** Resolves when nothing is in flight. The next start continues with pending updates. */
  stop(): Promise<void>;
}

export function createBot(deps: BotDeps): Bot {
  const { config, cipher, journal, clock, onEvent, accounts, records, storesPerAccount, explorerLink } = deps;
  const telegram = new Telegram(config);
  const sender = new MessageSender(telegram, onEvent);
  const expiry = new MessageExpiry({ journal, sender, clock, onEvent });
  let name: string | undefined;
  const handle = conversation({
    commands: {
      ...registrationCommands({ accounts }),
      ...airQualityCommands({ ...deps, records: journal.records }),
      ...chainCommands({ ...deps, records: journal.records, serviceLog: journal.serviceLog }),
      ...auditCommands({
        ...deps,
        file: ({ fileId, size = 0 }, maximum) =>
          size > maximum ? Promise.resolve(undefined) : telegram.file(fileId, maximum),
      }),
      help: async ({ texts }) => textReply(texts.help(commandList(texts))),
      pm: pmCommand({
        journal,
        records,
        readSource: sourceReader(deps.isAllowedSource),
        storesPerAccount,
        explorerLink,
        clock,
      }),
    },
    confirm: confirmation({
      journal,
      accounts,
      passwordSeconds: config.passwordSeconds,
      onRegistered: (account) => onEvent({ kind: "registered", account }),
    }),
    users: new Users(journal, cipher),
    perMinute: config.ratePerMinute,
    name: () => name,
    onEvent,
  });
  const updateQueue = new UpdateQueue({ journal, cipher, sender, expiry, handle, clock, onEvent });
  const receiver = new UpdateReceiver({
    telegram,
    receive: (updates) => updateQueue.receive(updates),
    async prepare(found) {
      name = found;
      await telegram.setMenu(menu(TEXTS.en));
      await telegram.setMenu(menu(TEXTS.ru), "ru");
    },
    onEvent,
  });

  return {
    async start() {
      await expiry.start();
      await updateQueue.start();
      receiver.start();
    },
    async stop() {
      const end = (): void => {
        sender.end();
        telegram.end();
      };
      const timeout = setTimeout(end, STOP_GRACE_MILLISECONDS);
      receiver.end();
      await updateQueue.stop();
      clearTimeout(timeout);
      end();
      await expiry.stop();
      await receiver.stop();
    },
  };
}

function menu(texts: Texts): { command: string; description: string }[] {
  return COMMAND_NAMES.map((command) => ({ command, description: texts.commands[command] }));
}

function commandList(texts: Texts): string {
  return COMMAND_NAMES.map((command) => `/${command} ${texts.commands[command]}`).join("\n");
}
