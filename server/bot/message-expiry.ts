import type { Clock } from "../kit/time.ts";
import type { MessageDeletion } from "./chat-store.ts";
import type { BotEventSink } from "./events.ts";
import type { BotJournal } from "./journal.ts";
import type { MessageSender } from "./message-sender.ts";

export interface MessageExpiryDeps {
  readonly journal: BotJournal;
  readonly sender: MessageSender;
  readonly clock: Clock;
  readonly onEvent: BotEventSink;
}

/** Deletes messages at their time. Those whose time passed while the server was stopped are deleted at its start. */
export class MessageExpiry {
  readonly #deps: MessageExpiryDeps;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: MessageExpiryDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.schedule(await this.#deps.journal.chats.deletions());
  }

  /** Schedules stored deletions. */
  schedule(deletions: readonly MessageDeletion[]): void {
    for (const deletion of deletions) {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer);
          const run = this.#delete(deletion).finally(() => this.#running.delete(run));
          this.#running.add(run);
        },
        Math.max(0, deletion.dueAt - this.#deps.clock()),
      );
      this.#timers.add(timer);
    }
  }

  /** Resolves when no deletion is in flight. End the sender first. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  async #delete(deletion: MessageDeletion): Promise<void> {
    const { journal, sender, onEvent } = this.#deps;
    try {
      await sender.send(deletion.chat, { kind: "delete", message: deletion.message });
      await journal.chats.removeDeletion(deletion);
    } catch (error) {
      // The next start tries again.
      if (!sender.ended.aborted) onEvent({ kind: "journal_failing", error });
    }
  }
}
