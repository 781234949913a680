import type { NewMessage, StoredMessage } from "./chat-store.ts";
import type { Clock } from "../kit/time.ts";
import type { BotJournal } from "./journal.ts";
import type { BotEventSink } from "./events.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { Message } from "./message.ts";
import { Backoff } from "../kit/backoff.ts";
import type { BotCipher } from "./bot-cipher.ts";
import { type Telegram, TelegramError } from "./telegram.ts";

const MAX_CONCURRENT_CHATS = 32;

export interface MessageQueueDeps {
  readonly journal: BotJournal;
  readonly cipher: BotCipher;
  readonly telegram: Telegram;
  readonly clock: Clock;
  readonly onEvent: BotEventSink;
}

/**
 * Sends the queued messages, in order per chat, with retries. Sends messages again that were in flight when the process
 * was killed, because their delivery is unknown.
 */
export class MessageQueue {
  readonly #deps: MessageQueueDeps;
  readonly #queue = new KeyedQueue(MAX_CONCURRENT_CHATS);
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ended = new AbortController();
  /** The newest message that is queued in memory or waits for its time. */
  #newest = 0;
  #running: Promise<void> | undefined;
  #pending = false;
  #failing = false;

  constructor(deps: MessageQueueDeps) {
    this.#deps = deps;
  }

  /** Encrypts a message for the queue. */
  encrypt(chat: number, message: Message, dueAt = 0): NewMessage {
    return { chat, dueAt, body: this.#deps.cipher.encrypt(contextOf(chat), message) };
  }

  /** Sends messages that were added to the database. */
  wake(): void {
    this.#pending = true;
    this.#running ??= this.#collect().finally(() => (this.#running = undefined));
  }

  /** Resolves when no message is in flight. */
  async stop(): Promise<void> {
    this.#ended.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#running;
    await this.#queue.stop();
  }

  async #collect(): Promise<void> {
    const backoff = new Backoff();
    while (this.#pending && !this.#ended.signal.aborted) {
      this.#pending = false;
      try {
        for (const message of await this.#deps.journal.chats.queuedMessagesAfter(this.#newest)) {
          this.#newest = message.id;
          this.#enqueue(message);
        }
      } catch (error) {
        this.#deps.onEvent({ kind: "journal_failing", error });
        this.#pending = true;
        await backoff.wait(this.#ended.signal);
      }
    }
  }

  #enqueue(stored: StoredMessage): void {
    const wait = stored.dueAt - this.#deps.clock();
    if (wait <= 0) {
      void this.#queue.run(stored.chat, () => this.#send(stored));
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#queue.run(stored.chat, () => this.#send(stored));
    }, wait);
    this.#timers.add(timer);
  }

  async #send(stored: StoredMessage): Promise<void> {
    const { telegram, onEvent } = this.#deps;
    const message = this.#decrypt(stored);
    const backoff = new Backoff();
    let isSent = message === undefined;
    let number: number | undefined;
    while (!this.#ended.signal.aborted) {
      try {
        if (message !== undefined && !isSent) number = await telegram.send(stored.chat, message);
        // Does not send again if only the database update failed.
        isSent = true;
        this.#reportReachable();
        await this.#recordSent(stored, message, number);
        return;
      } catch (error) {
        if (!(error instanceof TelegramError)) {
          onEvent({ kind: "journal_failing", error });
        } else if (error.isFinal) {
          isSent = true;
          onEvent({ kind: "undeliverable", reason: error.message });
          continue;
        } else if (error.code !== 429 && !this.#ended.signal.aborted) {
          this.#reportUnreachable(error.message);
        }
        await backoff.wait(this.#ended.signal, error instanceof TelegramError ? error.retryAfterSeconds : 0);
      }
    }
  }

  #reportReachable(): void {
    if (this.#failing) this.#deps.onEvent({ kind: "reachable" });
    this.#failing = false;
  }

  #reportUnreachable(reason: string): void {
    if (!this.#failing) this.#deps.onEvent({ kind: "unreachable", reason });
    this.#failing = true;
  }

  async #recordSent(
    { id, chat }: StoredMessage,
    message: Message | undefined,
    number: number | undefined,
  ): Promise<void> {
    const { journal, clock } = this.#deps;
    const lifetime = message?.kind === "text" ? message.lifetimeMilliseconds : undefined;
    await journal.atomically(async ({ chats }) => {
      await chats.deleteMessage(id);
      if (lifetime === undefined || number === undefined) return;
      await chats.enqueue([this.encrypt(chat, { kind: "delete", message: number }, clock() + lifetime)]);
    });
    if (lifetime !== undefined) this.wake();
  }

  /** Decrypts a message; returns `undefined` if it cannot be read. */
  #decrypt({ chat, body }: StoredMessage): Message | undefined {
    try {
      return Message.parse(this.#deps.cipher.decrypt(contextOf(chat), body));
    } catch (error) {
      this.#deps.onEvent({ kind: "unreadable", what: "a message", error });
      return undefined;
    }
  }
}

function contextOf(chat: number): string {
  return `message ${chat}`;
}
