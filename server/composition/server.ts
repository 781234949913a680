import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { steadyClock } from "../kit/time.ts";
import type { Logger } from "../kit/logger.ts";
import { NetworkList } from "../kit/network-list.ts";
import type { AccountService } from "../sessions/account-service.ts";
import type { DemoAccount } from "../sessions/demo-account.ts";
import { createApi } from "./http.ts";
import { DEMO_ACCOUNT_FILE } from "./data-folder.ts";
import { createFoundation } from "./foundation.ts";
import type { Journal } from "./journal.ts";
import { startParts } from "./lifecycle.ts";
import { buildParts, type ServerOverrides } from "./parts.ts";
import { openAll, type Opened } from "./resources.ts";

/** The server: {@link createServer} builds it, `start` runs it, `stop` ends it cleanly. */
export interface Server {
  readonly journal: Journal;
  readonly accounts: AccountService | undefined;
  /** Address of the chain's JSON-RPC when this process runs the chain. */
  readonly embeddedChainUrl: string | undefined;
  readonly demoAccountFile: string;
  /**
   * Starts the workers and listens.
   * @returns the address of the listener, and the demo account when this start made it
   */
  start(): Promise<{ url: string; demoAccount: DemoAccount | undefined }>;
  stop(): Promise<void>;
}

/** Opens the chain and the journal and builds every part; nothing runs yet. */
export async function createServer(config: Config, logger: Logger, overrides: ServerOverrides = {}): Promise<Server> {
  const clock = overrides.clock ?? Date.now;
  const opened = await openAll(config, logger, clock);
  try {
    return await build(config, logger, overrides, opened);
  } catch (error) {
    await opened.resources.disposeAsync();
    throw error;
  }
}

async function build(config: Config, logger: Logger, overrides: ServerOverrides, opened: Opened): Promise<Server> {
  // Loaded on demand: few servers have a bot, which is a large part of the program.
  const chatBot = config.telegram && (await import("./bot.ts"));
  const foundation = createFoundation(config.chain, opened, logger, {
    clock: overrides.clock ?? Date.now,
    steadyClock: overrides.steadyClock ?? steadyClock(overrides.clock ?? Date.now),
    headMilliseconds: overrides.headMilliseconds,
  });
  const parts = buildParts(foundation, { config, opened, overrides, chatBot });
  const app = createApi(parts, { config, opened, telegramPath: chatBot?.TELEGRAM_PATH });
  const demoAccountFile = join(config.dataDirectory, DEMO_ACCOUNT_FILE);
  return {
    journal: foundation.journal,
    accounts: parts.sessions.accounts,
    embeddedChainUrl: opened.link.embedded?.url,
    demoAccountFile,
    start: () =>
      startParts(parts, {
        opened,
        http: config.http,
        proxies: new NetworkList(config.access.trustedProxies),
        demoAccountFile,
        app,
      }),
    stop: () => opened.resources.disposeAsync(),
  };
}
