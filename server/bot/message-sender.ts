import type { BotEventSink } from "./events.ts";
import { Backoff } from "../kit/backoff.ts";
import type { Message } from "./message.ts";
import { type Telegram, TelegramError } from "./telegram.ts";

/** The end of a message: accepted, with its id if it has one, or rejected permanently. */
export type Delivery =
  { readonly id: number | undefined } | { readonly rejected: string; readonly isChatFault: boolean };

/** Sends messages until Telegram accepts them or rejects them permanently. Follows a chat that got another number. */
export class MessageSender {
  readonly #telegram: Telegram;
  readonly #onEvent: BotEventSink;
  readonly #ended = new AbortController();
  #failing = false;
  /** The numbers of chats that became supergroups, by the numbers before. */
  readonly #moved = new Map<number, number>();

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
    const delivery = await this.deliver(chat, message);
    if ("id" in delivery) return delivery.id;
    this.#onEvent({ kind: "undeliverable", reason: delivery.rejected });
    return undefined;
  }

  /** As {@link send}, for a caller that handles rejections. */
  async deliver(chat: number, message: Message): Promise<Delivery> {
    const backoff = new Backoff();
    for (;;) {
      this.ended.throwIfAborted();
      try {
        const id = await this.#telegram.send(this.#moved.get(chat) ?? chat, message);
        this.#report(undefined);
        return { id };
      } catch (error) {
        if (!(error instanceof TelegramError)) throw error;
        const { movedTo } = error;
        if (movedTo !== undefined && movedTo !== this.#moved.get(chat)) {
          this.#moved.set(chat, movedTo);
          continue;
        }
        if (error.isFinal) return { rejected: error.message, isChatFault: error.isChatFault };
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
