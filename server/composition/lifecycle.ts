import type { Express } from "express";
import type { HttpConfig } from "../config/config.ts";
import { listen } from "../http/listener.ts";
import { type DemoAccount, ensureDemoAccount } from "../sessions/demo-account.ts";
import { every } from "../kit/time.ts";
import type { NetworkList } from "../kit/network-list.ts";
import type { Parts } from "./parts.ts";
import type { Opened } from "./resources.ts";

/** How long a stop lets requests wait for the chain: shorter than the grace period of the HTTP server. */
const STOP_WAIT_MILLISECONDS = 3_000;

/** Interval of the checks whether writes of others have ended. */
const FOREIGN_WRITES_MILLISECONDS = 60_000;

export interface StartOptions {
  readonly opened: Opened;
  readonly http: HttpConfig;
  /** Trusted proxies. */
  readonly proxies: NetworkList;
  readonly demoAccountFile: string;
  readonly app: Express;
}

/**
 * Starts the parts and listens. Each part is stopped by `opened.resources`, in the reverse order of its start.
 * @returns the address of the listener, and the demo account when this start made it
 */
export async function startParts(
  parts: Parts,
  { opened, http, proxies, demoAccountFile, app }: StartOptions,
): Promise<{ url: string; demoAccount: DemoAccount | undefined }> {
  const { resources } = opened;
  await startMonitoring(parts, resources);
  deferStops(parts, opened);
  await startWork(parts, resources);
  const demoAccount = await demoAccountOf(parts, demoAccountFile);
  resources.defer(() => parts.foundation.workers.stop());
  const server = await listen(app, {
    host: http.host,
    port: http.port,
    certificate: opened.certificate,
    isProxy: (address) => proxies.has(address),
  });
  resources.defer(() => releasingWaits(parts, () => server.close()));
  parts.address.listening(server.url);
  const { bot, operations } = parts;
  if (bot !== undefined) {
    resources.defer(() => releasingWaits(parts, () => bot.stop()));
    await bot.start();
  }
  // Monitoring stops before the parts that it monitors.
  resources.defer(() => operations.stop());
  await operations.start();
  return { url: server.url, demoAccount };
}

/**
 * Loads the alerts that lasted when the server last ended. Alerts and the service log stop last, because every other
 * part raises alerts and writes lines.
 */
async function startMonitoring(parts: Parts, resources: AsyncDisposableStack): Promise<void> {
  const { alerts, divergences, telemetry } = parts.foundation;
  resources.defer(() => telemetry.flush());
  resources.defer(() => alerts.stop());
  resources.defer(() => divergences.stop());
  await alerts.start();
}

/** Registers the stops of everything that works on its own. */
function deferStops(
  { foundation, records, proofs, recovery, transactions, journalWorkers }: Parts,
  { embeddedLog, resources }: Opened,
): void {
  const { link, head } = foundation;
  if (link.embedded !== undefined) {
    resources.defer(link.embedded.onBlock(() => head.poke()));
    resources.defer(link.embedded.onBlock((number) => embeddedLog.onBlock(number)));
  }
  resources.defer(() => head.stop());
  resources.defer(() => records.indexer.stop());
  const monitoring = every(FOREIGN_WRITES_MILLISECONDS, () => records.foreignWrites.check());
  resources.defer(() => monitoring.stop());
  // They run from the last to the first, in the order in which work flows: proofs first, then the sender.
  resources.defer(() => transactions.sender.stop());
  resources.defer(() => proofs.stop());
  resources.defer(() => journalWorkers.stop());
  resources.defer(() => recovery.stop());
}

/** Completes interrupted work, then starts new work; new blocks come last. */
async function startWork(
  { foundation, sessions, recovery, transactions, proofs, journalWorkers }: Parts,
  resources: AsyncDisposableStack,
): Promise<void> {
  await sessions.sessions.recover();
  resources.defer(() => transactions.stopKeystoreMonitor());
  await transactions.start();
  await proofs.start();
  await journalWorkers.start();
  recovery.start();
  foundation.head.start();
}

/** The embedded chain comes with a demo account. */
async function demoAccountOf({ foundation, sessions }: Parts, file: string): Promise<DemoAccount | undefined> {
  const { accounts } = sessions;
  if (foundation.link.embedded === undefined || accounts === undefined) return undefined;
  return ensureDemoAccount(file, foundation.journal, accounts);
}

/** Requests that still wait for the chain after a while get the response pending instead of being cut off. */
async function releasingWaits(
  { proofs, transactions, journalWorkers }: Parts,
  stop: () => Promise<void>,
): Promise<void> {
  const timer = setTimeout(() => {
    proofs.tracker.release();
    journalWorkers.syncReplication?.release();
    transactions.sender.release();
  }, STOP_WAIT_MILLISECONDS);
  await stop();
  clearTimeout(timer);
}
