import { createHmac, timingSafeEqual } from "node:crypto";
import express, { type RequestHandler, Router } from "express";
import type { BotEventSink } from "./events.ts";
import { Backoff } from "../kit/backoff.ts";
import { type Telegram, TelegramError } from "./telegram.ts";
import { updateNumber } from "./update.ts";

const WAIT_SECONDS = 30;
const MAX_UPDATE_SIZE = "1mb";

export interface UpdateReceiverDeps {
  readonly telegram: Telegram;
  readonly token: string;
  /** URL for Telegram's webhook; without it, the receiver polls. */
  readonly webhookUrl: string | undefined;
  readonly receive: (updates: readonly unknown[]) => Promise<void>;
  /** Called with the bot's name when Telegram is reachable. */
  readonly prepare: (name: string) => Promise<void>;
  readonly onEvent: BotEventSink;
}

/** Receives updates from Telegram by polling or by webhook. */
export class UpdateReceiver {
  readonly #deps: UpdateReceiverDeps;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #failing = false;

  constructor(deps: UpdateReceiverDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops receiving. */
  end(): void {
    this.#ended.abort();
  }

  /** Resolves when the current poll has ended. End the Telegram client first to abort it. */
  async stop(): Promise<void> {
    this.end();
    await this.#running;
  }

  /** Handler of the webhook. Checks the secret that Telegram sends with every update. */
  get webhook(): RequestHandler {
    const { token, receive } = this.#deps;
    const secret = Buffer.from(secretOf(token));
    return Router().use(express.json({ limit: MAX_UPDATE_SIZE }), async (request, response) => {
      const shown = Buffer.from(request.get("X-Telegram-Bot-Api-Secret-Token") ?? "");
      if (request.method !== "POST" || shown.length !== secret.length || !timingSafeEqual(shown, secret)) {
        response.status(403).end();
        return;
      }
      await receive([request.body]);
      // Responds after the updates are stored; Telegram repeats them otherwise.
      response.status(200).end();
    });
  }

  async #run(): Promise<void> {
    const { telegram, webhookUrl, token, prepare, onEvent } = this.#deps;
    const name = await this.#retry(async () => {
      const found = await telegram.name();
      await prepare(found);
      if (webhookUrl === undefined) await telegram.deleteWebhook();
      else await telegram.setWebhook(webhookUrl, secretOf(token));
      return found;
    });
    if (name === undefined) return;
    onEvent({ kind: "ready", name, by: webhookUrl === undefined ? "polling" : "webhook" });
    let offset: number | undefined;
    while (webhookUrl === undefined && !this.#ended.signal.aborted) {
      offset = await this.#retry(() => this.#poll(offset));
    }
  }

  /**
   * Polls once.
   * @returns The next offset. After an empty response it is undefined, because Telegram may restart its numbering.
   */
  async #poll(offset: number | undefined): Promise<number | undefined> {
    const updates = await this.#deps.telegram.updates(offset, WAIT_SECONDS);
    await this.#deps.receive(updates);
    const last = updateNumber(updates.at(-1));
    return last === undefined ? undefined : last + 1;
  }

  /** Retries until the attempt succeeds or the receiver ends. */
  async #retry<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    const { onEvent } = this.#deps;
    const backoff = new Backoff();
    while (!this.#ended.signal.aborted) {
      try {
        const done = await attempt();
        if (this.#failing) onEvent({ kind: "reachable" });
        this.#failing = false;
        return done;
      } catch (error) {
        if (this.#ended.signal.aborted) return undefined;
        if (!(error instanceof TelegramError)) onEvent({ kind: "journal_failing", error });
        else if (!this.#failing) onEvent({ kind: "unreachable", reason: error.message });
        this.#failing ||= error instanceof TelegramError;
        await backoff.wait(this.#ended.signal, error instanceof TelegramError ? error.retryAfterSeconds : 0);
      }
    }
    return undefined;
  }
}

/** Derives the webhook secret from the token. */
function secretOf(token: string): string {
  return createHmac("sha256", token).update("sealbook webhook").digest("hex");
}
