import { createHmac, timingSafeEqual } from "node:crypto";
import express, { type RequestHandler, Router } from "express";
import type { BotEventSink } from "./events.ts";
import { Backoff } from "../kit/backoff.ts";
import { type Telegram, TelegramError } from "./telegram.ts";
import { updateNumber } from "./update.ts";

const WAIT_SECONDS = 30;
const LARGEST_UPDATE = "1mb";

export interface ReceptionDeps {
  readonly telegram: Telegram;
  readonly token: string;
  /** Where Telegram is to post what comes; asked for it when there is no such place. */
  readonly webhookUrl: string | undefined;
  readonly receive: (updates: readonly unknown[]) => Promise<void>;
  /** Told the bot's name as soon as Telegram can be reached. */
  readonly prepare: (name: string) => Promise<void>;
  readonly onEvent: BotEventSink;
}

/** Gets what people write from Telegram: asks for it, or is told. */
export class Reception {
  readonly #deps: ReceptionDeps;
  readonly #ended = new AbortController();
  #work: Promise<void> | undefined;
  #failing = false;

  constructor(deps: ReceptionDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Takes nothing any more. */
  end(): void {
    this.#ended.abort();
  }

  /** Ends when nothing is asked for any more: as soon as the telegram is ended, which may be waiting for an answer. */
  async stop(): Promise<void> {
    this.end();
    await this.#work;
  }

  /** What Telegram posts to. Only Telegram knows the secret, which comes with every update. */
  get webhook(): RequestHandler {
    const { token, receive } = this.#deps;
    const secret = Buffer.from(secretOf(token));
    return Router().use(express.json({ limit: LARGEST_UPDATE }), async (request, response) => {
      const shown = Buffer.from(request.get("X-Telegram-Bot-Api-Secret-Token") ?? "");
      if (request.method !== "POST" || shown.length !== secret.length || !timingSafeEqual(shown, secret)) {
        response.status(403).end();
        return;
      }
      await receive([request.body]);
      // Only now: what is not on disk is sent again.
      response.status(200).end();
    });
  }

  async #run(): Promise<void> {
    const { telegram, webhookUrl, token, prepare, onEvent } = this.#deps;
    const name = await this.#persist(async () => {
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
      offset = await this.#persist(() => this.#poll(offset));
    }
  }

  /**
   * Asks once.
   * @returns from where to ask on. An empty answer has acknowledged all before it; numbers may then begin anywhere.
   */
  async #poll(offset: number | undefined): Promise<number | undefined> {
    const updates = await this.#deps.telegram.updates(offset, WAIT_SECONDS);
    await this.#deps.receive(updates);
    const last = updateNumber(updates.at(-1));
    return last === undefined ? undefined : last + 1;
  }

  /** Tries until it is done or this is ended. */
  async #persist<T>(attempt: () => Promise<T>): Promise<T | undefined> {
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

/** What Telegram shows with every update: nobody can tell it who does not have the token. */
function secretOf(token: string): string {
  return createHmac("sha256", token).update("sealbook webhook").digest("hex");
}
