import type { BotEventSink } from "./events.ts";
import { Backoff } from "../kit/backoff.ts";
import { type Telegram, TelegramError } from "./telegram.ts";
import { updateNumber } from "./update.ts";

const WAIT_SECONDS = 30;

export interface UpdateReceiverDeps {
  readonly telegram: Telegram;
  readonly receive: (updates: readonly unknown[]) => Promise<void>;
  /** Called with the bot's name when Telegram is reachable. */
  readonly prepare: (name: string) => Promise<void>;
  readonly onEvent: BotEventSink;
}

/** Receives updates from Telegram by polling. */
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

  async #run(): Promise<void> {
    const { telegram, prepare, onEvent } = this.#deps;
    const name = await this.#retry(async () => {
      const found = await telegram.name();
      await prepare(found);
      // With a webhook, Telegram refuses to be polled.
      await telegram.deleteWebhook();
      return found;
    });
    if (name === undefined) return;
    onEvent({ kind: "ready", name });
    let offset: number | undefined;
    while (!this.#ended.signal.aborted) {
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
