import { join } from "node:path";
import type { Express } from "express";
import type { Config } from "../config/config.ts";
import type { Logger } from "../kit/logger.ts";
import { openStore } from "../journal/replication/open-store.ts";
import { every } from "../kit/time.ts";
import { assertSameTable } from "../records/record-index.ts";
import { type DemoAccount, ensureDemoAccount } from "../sessions/demo-account.ts";
import { createApi } from "./app.ts";
import { type Context, createContext, type ServerOverrides } from "./context.ts";
import { DEMO_ACCOUNT_FILE } from "./data-folder.ts";
import { buildParts, type Parts } from "./parts.ts";
import { isLeader, type Opened } from "./resources.ts";

/** Interval at which abandoned calls are settled and the keys of expired tokens are deleted. */
const SETTLING_MILLISECONDS = 5_000;
/** Interval of the checks whether writes of others have ended. */
const FOREIGN_WRITES_MILLISECONDS = 60_000;

/**
 * What a relayer does while it leads, or while it follows: the parts of the server, and the APIs over them. A relayer
 * that begins to lead, or ceases to, gets a new one, so that nothing in memory outlives a leadership.
 */
export class Role {
  readonly context: Context;
  readonly parts: Parts;
  readonly app: Express;
  readonly #running = new AsyncDisposableStack();
  /** What stops before the last requests are responded to. */
  readonly #early = new AsyncDisposableStack();

  private constructor(context: Context, parts: Parts) {
    this.context = context;
    this.parts = parts;
    this.app = createApi(context, parts);
  }

  /** Builds the parts of a leader when there is a session to lead with, else those of a follower; nothing runs yet. */
  static async create(config: Config, opened: Opened, logger: Logger, overrides: ServerOverrides): Promise<Role> {
    const stop = new AbortController();
    // Only the leader replicates.
    const targets = isLeader(opened) ? config.journal.replicaTargets : [];
    const replicas = { stores: await Promise.all(targets.map((target) => openStore(target, stop.signal))), stop };
    const context = createContext({ config, opened, replicas, logger, overrides });
    if (context.isLeader) await assertSameTable(context.database, config.records.tableName);
    return new Role(context, await buildParts(context));
  }

  /**
   * Starts the parts. What starts last stops first: each stop is deferred before its start.
   * @returns the demo account when this start made it
   */
  async start(): Promise<DemoAccount | undefined> {
    const { opened, isLeader, alerts, findings, telemetry, head, link } = this.context;
    const { journalWorkers, operations } = this.parts;
    const defer = (stop: () => unknown): void => this.#running.defer(async () => void (await stop()));

    // Every other part raises alerts and writes to the service log. Active alerts of the last run are loaded.
    defer(() => telemetry.flush());
    defer(() => alerts.stop());
    defer(() => findings.stop());
    await alerts.start();
    await findings.load();

    if (link.embedded !== undefined) {
      defer(link.embedded.onBlock(() => head.poke()));
      defer(link.embedded.onBlock((number) => opened.embeddedLog.onBlock(number)));
    }
    defer(() => head.stop());
    defer(() => journalWorkers.stopFollowing());
    await journalWorkers.follow();
    const demoAccount = isLeader ? await this.#lead(defer) : undefined;
    if (!isLeader) head.start();
    // Monitoring stops before the parts that it monitors.
    this.#early.defer(() => operations.stop());
    await operations.start();
    return demoAccount;
  }

  async #lead(defer: (stop: () => unknown) => void): Promise<DemoAccount | undefined> {
    const { config, journal, findings, head, link } = this.context;
    const { transactions, sessions, records, proofs, journalWorkers, recovery, bot } = this.parts;
    head.subscribe(({ number }) => transactions.sender.onHead(number));
    head.subscribe((newest) => proofs.onHead(newest));
    defer(() => records.indexer.stop());
    const foreignWrites = every(FOREIGN_WRITES_MILLISECONDS, () => records.foreignWrites.check());
    defer(() => foreignWrites.stop());
    // Stops go in the order in which work flows: proofs first, then the sender.
    defer(() => transactions.sender.stop());
    defer(() => proofs.stop());
    defer(() => journalWorkers.stopLeading());
    defer(() => recovery.stop());

    // Interrupted work is completed, then new work starts; new blocks come last.
    await sessions.changes.recover();
    // The next run does what a failed one did not.
    const settling = every(SETTLING_MILLISECONDS, async () => {
      await sessions.changes.settle().catch(() => undefined);
      await sessions.sessions.forgetExpiredKeys().catch(() => undefined);
    });
    defer(() => settling.stop());
    // What waits for outcomes starts before the sender hands them over.
    await proofs.start();
    await transactions.start();
    journalWorkers.lead();
    recovery.start();
    head.start();
    if (bot !== undefined) {
      this.#early.defer(() => bot.stop());
      await bot.start();
    }
    // Nothing is written to a journal that does not continue what was seen.
    if (findings.hasCause("head")) return undefined;
    // The embedded chain comes with a demo account.
    const file = join(config.dataDirectory, DEMO_ACCOUNT_FILE);
    return link.embedded && sessions.accounts && (await ensureDemoAccount(file, journal, sessions.accounts));
  }

  /** Requests that wait for the chain get the response pending from now on. */
  release(): void {
    this.parts.proofs.tracker.release();
    this.parts.transactions.sender.release();
  }

  /**
   * Stops the parts.
   * @param drain Ends the requests in flight
   */
  async stop(drain: () => Promise<void>): Promise<void> {
    await this.#early.disposeAsync();
    await drain();
    await this.#running.disposeAsync();
  }
}
