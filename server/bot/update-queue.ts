import type { StoredUpdate } from "./chat-store.ts";
import type { Clock } from "../kit/time.ts";
import type { BotJournal } from "./journal.ts";
import type { BotEventSink } from "./events.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import type { Message } from "./message.ts";
import type { MessageDeletion } from "./chat-store.ts";
import type { MessageExpiry } from "./message-expiry.ts";
import type { MessageSender } from "./message-sender.ts";
import { Backoff } from "../kit/backoff.ts";
import type { BotCipher } from "./bot-cipher.ts";
import { type Incoming, readUpdate, updateNumber } from "./update.ts";

const MAX_CONCURRENT_CHATS = 32;
/** Twice the day for which Telegram repeats unacknowledged updates. */
const RETENTION_MILLISECONDS = 2 * 24 * 3600 * 1000;
const CLEANUP_INTERVAL = 500;

/** Progress of the processing of an update, which survives an interruption. */
export interface Memo {
  /** Names the update. */
  readonly name: string;
  readonly previous: unknown;
  /** Stores the progress in the commit of `journal`. */
  save(journal: BotJournal, memo: unknown): Promise<void>;
}

/** Result of a handled update. */
export interface HandlerResult {
  readonly messages: readonly Message[];
  /** Stores changes in the commit that completes the update. */
  readonly save?: (journal: BotJournal) => Promise<void>;
}

/** Handles an update. Throws only for internal errors. */
export type UpdateHandler = (incoming: Incoming, memo: Memo) => Promise<HandlerResult>;

export interface UpdateQueueDeps {
  readonly journal: BotJournal;
  readonly cipher: BotCipher;
  readonly sender: MessageSender;
  readonly expiry: MessageExpiry;
  readonly handle: UpdateHandler;
  readonly clock: Clock;
  readonly onEvent: BotEventSink;
}

/** Stores updates and processes each once, in order per chat and per sender. */
export class UpdateQueue {
  readonly #deps: UpdateQueueDeps;
  /** A chat whose replies Telegram delays takes one place, however many people write there. */
  readonly #byChat = new KeyedQueue(MAX_CONCURRENT_CHATS);
  /** The state of a user changes by one update at a time. */
  readonly #bySender = new KeyedQueue(MAX_CONCURRENT_CHATS);
  readonly #ended = new AbortController();
  #received = 0;

  constructor(deps: UpdateQueueDeps) {
    this.#deps = deps;
  }

  /** Continues with the updates that a restart interrupted. */
  async start(): Promise<void> {
    for (const stored of await this.#deps.journal.chats.pendingUpdates()) this.#enqueue(stored);
  }

  /** Stores updates and ignores known ones. The sender can delete them afterwards. */
  async receive(updates: readonly unknown[]): Promise<void> {
    const { journal, cipher, clock } = this.#deps;
    const known = updates.flatMap((update) => {
      const number = updateNumber(update);
      return number === undefined || readUpdate(update) === undefined
        ? []
        : [{ number, body: cipher.encrypt(bodyContext(number), update) }];
    });
    if (known.length === 0) return;
    const fresh = await journal.atomically(async ({ chats }) => {
      // Cleans up on the first and every 500th call.
      if (this.#received % CLEANUP_INTERVAL === 0) await chats.deleteUpdatesBefore(clock() - RETENTION_MILLISECONDS);
      return chats.receive(known, clock());
    });
    this.#received += 1;
    for (const stored of fresh) this.#enqueue(stored);
  }

  /** Resolves when no update is being processed. The next process continues with the queue. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#byChat.stop();
  }

  #enqueue(stored: StoredUpdate): void {
    const incoming = this.#decrypt(bodyContext(stored.number), stored.body, readUpdate);
    if (this.#ended.signal.aborted) return;
    const { chat = 0, sender = 0 } = incoming ?? {};
    void this.#byChat.run(chat, () => this.#bySender.run(sender, () => this.#process(stored, incoming)));
  }

  async #process({ number, memo }: StoredUpdate, incoming: Incoming | undefined): Promise<void> {
    if (this.#ended.signal.aborted) return;
    const { cipher, handle, onEvent } = this.#deps;
    let previous = memo && this.#decrypt(memoContext(number), memo, (value) => value);
    let reply: { readonly result: HandlerResult; readonly deletions: readonly MessageDeletion[] } | undefined;
    const backoff = new Backoff();
    do {
      try {
        if (incoming !== undefined && reply === undefined) {
          const result = await handle(incoming, {
            name: memoContext(number),
            previous,
            save: (on, value) => {
              previous = value;
              return on.chats.saveMemo(number, cipher.encrypt(memoContext(number), value));
            },
          });
          reply = { result, deletions: await this.#send(incoming.chat, result.messages) };
        }
        await this.#complete(number, reply?.result.save, reply?.deletions ?? []);
        return;
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        onEvent({ kind: "journal_failing", error });
        await backoff.wait(this.#ended.signal);
      }
    } while (!this.#ended.signal.aborted);
  }

  /** @returns the messages to delete later */
  async #send(chat: number, messages: readonly Message[]): Promise<MessageDeletion[]> {
    const { sender, clock } = this.#deps;
    const deletions: MessageDeletion[] = [];
    for (const message of messages) {
      const sent = await sender.send(chat, message);
      if (sent === undefined || message.kind !== "text" || message.lifetimeMilliseconds === undefined) continue;
      deletions.push({ chat, message: sent, dueAt: clock() + message.lifetimeMilliseconds });
    }
    return deletions;
  }

  async #complete(number: number, save: HandlerResult["save"], deletions: readonly MessageDeletion[]): Promise<void> {
    const { journal, expiry } = this.#deps;
    await journal.atomically(async (atomic) => {
      await save?.(atomic);
      await atomic.chats.addDeletions(deletions);
      await atomic.chats.completeUpdate(number);
    });
    expiry.schedule(deletions);
  }

  #decrypt<T>(context: string, body: Uint8Array, read: (value: unknown) => T): T | undefined {
    try {
      return read(this.#deps.cipher.decrypt(context, body));
    } catch (error) {
      this.#deps.onEvent({ kind: "unreadable", what: context, error });
      return undefined;
    }
  }
}

function bodyContext(number: number): string {
  return `update ${number}`;
}

function memoContext(number: number): string {
  return `memo ${number}`;
}
