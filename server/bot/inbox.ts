import type { StoredUpdate } from "./chat-store.ts";
import type { Clock } from "../kit/clock.ts";
import type { BotJournal } from "./journal.ts";
import type { BotEventSink } from "./events.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import type { Message } from "./message.ts";
import type { Outbox } from "./outbox.ts";
import { Backoff } from "../kit/backoff.ts";
import type { Seal } from "./seal.ts";
import { type Incoming, readUpdate, updateNumber } from "./update.ts";

/** People who are answered at the same time. */
const PEOPLE_AT_ONCE = 32;
/** Telegram repeats what it has not seen taken for a day. */
const FORGET_AFTER_MILLISECONDS = 2 * 24 * 3600 * 1000;
const FORGET_EVERY = 500;

/**
 * What an answer writes down of what it has begun, and what was written down when an earlier attempt was interrupted.
 */
export interface Memo {
  readonly earlier: unknown;
  /** Writes it down in the same step as what is done with `journal`. */
  note(journal: BotJournal, memo: unknown): Promise<void>;
}

/** An answer. */
export interface Answer {
  readonly messages: readonly Message[];
  /** Writes down what has changed, in the same step as the messages. */
  readonly save?: (journal: BotJournal) => Promise<void>;
}

/** Answers; never fails but by a fault. */
export type Answerer = (incoming: Incoming, memo: Memo) => Promise<Answer>;

export interface InboxDeps {
  readonly journal: BotJournal;
  readonly seal: Seal;
  readonly outbox: Outbox;
  readonly answer: Answerer;
  readonly clock: Clock;
  readonly onEvent: BotEventSink;
}

/** Takes what comes, keeps it, and has it answered: each person's in its order, each once. */
export class Inbox {
  readonly #deps: InboxDeps;
  readonly #lanes = new KeyedQueue(PEOPLE_AT_ONCE);
  readonly #ended = new AbortController();
  #received = 0;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** Has answered what a restart interrupted. */
  async start(): Promise<void> {
    for (const stored of await this.#deps.journal.chats.unanswered()) this.#enqueue(stored);
  }

  /** Keeps updates; what came before already is nothing new. Whoever sent them can forget them afterwards. */
  async receive(updates: readonly unknown[]): Promise<void> {
    const { journal, seal, clock } = this.#deps;
    const known = updates.flatMap((update) => {
      const number = updateNumber(update);
      return number === undefined || readUpdate(update) === undefined
        ? []
        : [{ number, body: seal.close(bodyOf(number), update) }];
    });
    if (known.length === 0) return;
    const fresh = await journal.atomically(async ({ chats }) => {
      // Now and then is enough.
      if (this.#received % FORGET_EVERY === 0) await chats.forgetBefore(clock() - FORGET_AFTER_MILLISECONDS);
      return chats.receive(known, clock());
    });
    this.#received += 1;
    for (const stored of fresh) this.#enqueue(stored);
  }

  /** Ends when nothing is being answered. What waits is answered by the next process. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#lanes.stop();
  }

  #enqueue(stored: StoredUpdate): void {
    const incoming = this.#opened(bodyOf(stored.number), stored.body, readUpdate);
    if (this.#ended.signal.aborted) return;
    this.#lanes.run(incoming?.sender ?? 0, () => this.#answer(stored, incoming));
  }

  async #answer({ number, memo }: StoredUpdate, incoming: Incoming | undefined): Promise<void> {
    const { seal, answer, onEvent, outbox, journal } = this.#deps;
    let earlier = memo && this.#opened(memoOf(number), memo, (value) => value);
    const backoff = new Backoff();
    do {
      try {
        const { messages, save } =
          incoming === undefined
            ? { messages: [], save: undefined }
            : await answer(incoming, {
                earlier,
                note: (on, value) => {
                  earlier = value;
                  return on.chats.note(number, seal.close(memoOf(number), value));
                },
              });
        await journal.atomically(async (atomic) => {
          await save?.(atomic);
          if (incoming !== undefined)
            await atomic.chats.say(messages.map((message) => outbox.sealed(incoming.chat, message)));
          await atomic.chats.answered(number);
        });
        outbox.wake();
        return;
      } catch (error) {
        onEvent({ kind: "journal_failing", error });
        await backoff.wait(this.#ended.signal);
      }
    } while (!this.#ended.signal.aborted);
  }

  #opened<T>(place: string, body: Uint8Array, read: (value: unknown) => T): T | undefined {
    try {
      return read(this.#deps.seal.open(place, body));
    } catch (error) {
      this.#deps.onEvent({ kind: "unreadable", what: place, error });
      return undefined;
    }
  }
}

function bodyOf(number: number): string {
  return `update ${number}`;
}

function memoOf(number: number): string {
  return `memo ${number}`;
}
