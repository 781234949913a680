import { join } from "node:path";
import type { Express } from "express";
import type { Config } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import { listen } from "../http/listener.ts";
import type { Logger } from "../kit/logger.ts";
import { NetworkList } from "../kit/network-list.ts";
import { every } from "../kit/time.ts";
import type { AccountService } from "../sessions/account-service.ts";
import { type DemoAccount, ensureDemoAccount } from "../sessions/demo-account.ts";
import { createApi } from "./app.ts";
import { type Context, createContext, type ServerOverrides } from "./context.ts";
import { DEMO_ACCOUNT_FILE } from "./data-folder.ts";
import type { Journal } from "./journal.ts";
import { buildParts, type Parts } from "./parts.ts";
import { openAll } from "./resources.ts";

/** How long a stop lets requests wait for the chain: shorter than the grace period of the HTTP server. */
const STOP_WAIT_MILLISECONDS = 3_000;
const TOO_MANY_CONNECTIONS = new SealbookError("overloaded", "a network address, or all, have too many connections");
/** Interval at which abandoned calls are settled and the keys of expired tokens are deleted. */
const SETTLING_MILLISECONDS = 5_000;
/** Interval of the checks whether writes of others have ended. */
const FOREIGN_WRITES_MILLISECONDS = 60_000;

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
  const opened = await openAll(config, logger, overrides.clock ?? Date.now);
  const { resources } = opened;
  try {
    const context = createContext(config, opened, logger, overrides);
    const parts = await buildParts(context);
    const app = createApi(context, parts);
    const demoAccountFile = join(config.dataDirectory, DEMO_ACCOUNT_FILE);
    return {
      journal: context.journal,
      accounts: parts.sessions.accounts,
      embeddedChainUrl: opened.link.embedded?.url,
      demoAccountFile,
      start: () => start(context, parts, { app, demoAccountFile }),
      stop: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** Starts the parts and listens. What starts last stops first: each stop is deferred before its start. */
async function start(
  context: Context,
  parts: Parts,
  { app, demoAccountFile }: { readonly app: Express; readonly demoAccountFile: string },
): Promise<{ url: string; demoAccount: DemoAccount | undefined }> {
  const { config, opened, alerts, divergences, telemetry, head, link, workers, address, metrics, logger } = context;
  const { transactions, sessions, records, proofs, journalWorkers, recovery, operations, bot } = parts;
  const { resources, embeddedLog } = opened;
  const defer = (stop: () => unknown): void => resources.defer(async () => void (await stop()));

  // Every other part raises alerts and writes to the service log. Active alerts of the last run are loaded.
  defer(() => telemetry.flush());
  defer(() => alerts.stop());
  defer(() => divergences.stop());
  await alerts.start();

  if (link.embedded !== undefined) {
    defer(link.embedded.onBlock(() => head.poke()));
    defer(link.embedded.onBlock((number) => embeddedLog.onBlock(number)));
  }
  defer(() => head.stop());
  defer(() => records.indexer.stop());
  const foreignWrites = every(FOREIGN_WRITES_MILLISECONDS, () => records.foreignWrites.check());
  defer(() => foreignWrites.stop());
  // Stops go in the order in which work flows: proofs first, then the sender.
  defer(() => transactions.sender.stop());
  defer(() => proofs.stop());
  defer(() => journalWorkers.stop());
  defer(() => recovery.stop());

  // Interrupted work is completed, then new work starts; new blocks come last.
  await sessions.changes.recover();
  // The next run does what a failed one did not.
  const settling = every(SETTLING_MILLISECONDS, async () => {
    await sessions.changes.settle().catch(() => undefined);
    await sessions.sessions.forgetExpiredKeys().catch(() => undefined);
  });
  defer(() => settling.stop());
  await transactions.start();
  await proofs.start();
  await journalWorkers.start();
  recovery.start();
  head.start();
  // The embedded chain comes with a demo account.
  const demoAccount =
    link.embedded &&
    sessions.accounts &&
    (await ensureDemoAccount(demoAccountFile, context.journal, sessions.accounts));

  defer(() => workers.stop());
  const proxies = new NetworkList(config.access.trustedProxies);
  const server = await listen(app, {
    host: config.http.host,
    port: config.http.port,
    certificate: opened.certificate,
    isProxy: (source) => proxies.has(source),
    onRefusal() {
      metrics.connectionsRefused.inc();
      // The log has it once a minute.
      logger.warn({ err: TOO_MANY_CONNECTIONS }, "connections are refused");
    },
  });
  defer(() => releasingWaits(parts, () => server.close()));
  address.listening(server.url);
  if (bot !== undefined) {
    defer(() => releasingWaits(parts, () => bot.stop()));
    await bot.start();
  }
  // Monitoring stops before the parts that it monitors.
  defer(() => operations.stop());
  await operations.start();
  return { url: server.url, demoAccount };
}

/** Requests that still wait for the chain after a while get the response pending instead of being cut off. */
async function releasingWaits({ proofs, transactions }: Parts, stop: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    proofs.tracker.release();
    transactions.sender.release();
  }, STOP_WAIT_MILLISECONDS);
  await stop();
  clearTimeout(timer);
}
