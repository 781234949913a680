import type { NewMessage, StoredMessage } from "./chat-store.ts";
import type { Clock } from "../kit/clock.ts";
import type { BotJournal } from "./journal.ts";
import type { BotEventSink } from "./events.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { Message } from "./message.ts";
import { Backoff } from "../kit/backoff.ts";
import type { Seal } from "./seal.ts";
import { type Telegram, TelegramError } from "./telegram.ts";

/** Chats that are written to at the same time. */
const CHATS_AT_ONCE = 32;

export interface OutboxDeps {
  readonly journal: BotJournal;
  readonly seal: Seal;
  readonly telegram: Telegram;
  readonly clock: Clock;
  readonly onEvent: BotEventSink;
}

/**
 * Says what is written down to be said: in each chat one after the other, and what Telegram does not take now later.
 * What was on its way when the process was killed is said again: nobody knows whether it had arrived.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new KeyedQueue(CHATS_AT_ONCE);
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #ended = new AbortController();
  /** The newest message that is in a lane, or waits for its time. */
  #newest = 0;
  #work: Promise<void> | undefined;
  #again = false;
  #failing = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** A message as it is kept. */
  sealed(chat: number, message: Message, dueAt = 0): NewMessage {
    return { chat, dueAt, body: this.#deps.seal.close(placeOf(chat), message) };
  }

  /** Says that there is something to be said. */
  wake(): void {
    this.#again = true;
    this.#work ??= this.#collect().finally(() => (this.#work = undefined));
  }

  /** Ends when nothing is on its way. */
  async stop(): Promise<void> {
    this.#ended.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#work;
    await this.#lanes.stop();
  }

  async #collect(): Promise<void> {
    const backoff = new Backoff();
    while (this.#again && !this.#ended.signal.aborted) {
      this.#again = false;
      try {
        for (const message of await this.#deps.journal.chats.unsaidAfter(this.#newest)) {
          this.#newest = message.id;
          this.#enqueue(message);
        }
      } catch (error) {
        this.#deps.onEvent({ kind: "journal_failing", error });
        this.#again = true;
        await backoff.wait(this.#ended.signal);
      }
    }
  }

  #enqueue(stored: StoredMessage): void {
    const wait = stored.dueAt - this.#deps.clock();
    if (wait <= 0) {
      this.#lanes.run(stored.chat, () => this.#say(stored));
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#lanes.run(stored.chat, () => this.#say(stored));
    }, wait);
    this.#timers.add(timer);
  }

  async #say(stored: StoredMessage): Promise<void> {
    const { telegram, onEvent } = this.#deps;
    const message = this.#opened(stored);
    const backoff = new Backoff();
    let isSaid = message === undefined;
    let number: number | undefined;
    while (!this.#ended.signal.aborted) {
      try {
        if (message !== undefined && !isSaid) number = await telegram.say(stored.chat, message);
        // What is said is not said again when it cannot be written down at once.
        isSaid = true;
        this.#isAnswering();
        await this.#said(stored, message, number);
        return;
      } catch (error) {
        if (!(error instanceof TelegramError)) {
          onEvent({ kind: "journal_failing", error });
        } else if (error.isFinal) {
          isSaid = true;
          onEvent({ kind: "undeliverable", reason: error.message });
          continue;
        } else if (error.code !== 429 && !this.#ended.signal.aborted) {
          this.#isSilent(error.message);
        }
        await backoff.wait(this.#ended.signal, error instanceof TelegramError ? error.retryAfterSeconds : 0);
      }
    }
  }

  #isAnswering(): void {
    if (this.#failing) this.#deps.onEvent({ kind: "reachable" });
    this.#failing = false;
  }

  #isSilent(reason: string): void {
    if (!this.#failing) this.#deps.onEvent({ kind: "unreachable", reason });
    this.#failing = true;
  }

  async #said({ id, chat }: StoredMessage, message: Message | undefined, number: number | undefined): Promise<void> {
    const { journal, clock } = this.#deps;
    const lifetime = message?.kind === "text" ? message.lifetimeMilliseconds : undefined;
    await journal.atomically(async ({ chats }) => {
      await chats.said(id);
      if (lifetime === undefined || number === undefined) return;
      await chats.say([this.sealed(chat, { kind: "delete", message: number }, clock() + lifetime)]);
    });
    if (lifetime !== undefined) this.wake();
  }

  /** `undefined` for what cannot be read, of which there is nothing to be said. */
  #opened({ chat, body }: StoredMessage): Message | undefined {
    try {
      return Message.parse(this.#deps.seal.open(placeOf(chat), body));
    } catch (error) {
      this.#deps.onEvent({ kind: "unreadable", what: "a message", error });
      return undefined;
    }
  }
}

function placeOf(chat: number): string {
  return `message ${chat}`;
}
