import type { BotEventSink } from "./events.ts";
import { Backoff } from "../kit/backoff.ts";
import type { Message } from "./message.ts";
import { type Telegram, TelegramError } from "./telegram.ts";

/** Sends messages until Telegram accepts them or rejects them permanently. */
export class MessageSender {
  readonly #telegram: Telegram;
  readonly #onEvent: BotEventSink;
  readonly #ended = new AbortController();
  #failing = false;

  constructor(telegram: Telegram, onEvent: BotEventSink) {
    this.#telegram = telegram;
    this.#onEvent = onEvent;
  }

  /** Aborts when no message is sent any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  end(): void {
    this.#ended.abort();
  }

  /**
   * @returns the message id; `undefined` for messages without one, and for rejected ones
   * @throws DOMException `AbortError` when the sender ends: it is unknown whether the message was delivered
   */
  async send(chat: number, message: Message): Promise<number | undefined> {
    const backoff = new Backoff();
    for (;;) {
      this.ended.throwIfAborted();
      try {
        const id = await this.#telegram.send(chat, message);
        this.#report(undefined);
        return id;
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        if (error.isFinal) {
          this.#onEvent({ kind: "undeliverable", reason: error.message });
          return undefined;
        }
        if (error.code !== 429 && !this.ended.aborted) this.#report(error.message);
        await backoff.wait(this.ended, error.retryAfterSeconds);
      }
    }
  }

  /** Reports the begin and the end of an outage once. */
  #report(fault: string | undefined): void {
    if (fault === undefined && this.#failing) this.#onEvent({ kind: "reachable" });
    if (fault !== undefined && !this.#failing) this.#onEvent({ kind: "unreachable", reason: fault });
    this.#failing = fault !== undefined;
  }
}
