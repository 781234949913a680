import type { Alert, AlertStore } from "../operations/index.ts";
import type { BotEventSink } from "./events.ts";
import type { MessageSender } from "./message-sender.ts";
import { Backoff } from "../kit/backoff.ts";

export interface AlertChatDeps {
  readonly chat: number;
  readonly store: AlertStore;
  readonly sender: MessageSender;
  readonly onEvent: BotEventSink;
}

/**
 * Sends each raised and resolved alert, and each other text that it gets, to the administrators' chat. Sends an alert
 * again that was in flight when the process was killed, because its delivery is unknown.
 */
export class AlertChat {
  readonly #deps: AlertChatDeps;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #pending = false;

  constructor(deps: AlertChatDeps) {
    this.#deps = deps;
  }

  /**
   * Sends open alerts and the changes since the last run. A new chat does not receive alerts that are already resolved.
   */
  async start(): Promise<void> {
    const { store } = this.#deps;
    if ((await store.notifiedUpTo(this.#receiver)) === 0) {
      const over = await store.resolvedAfter(0);
      if (over.length > 0) await store.recordNotified(this.#receiver, Math.max(...over.map(({ change }) => change)));
    }
    this.wake();
  }

  /** Checks for alerts to send. */
  wake(): void {
    this.#pending = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  get #receiver(): string {
    return `telegram ${this.#deps.chat}`;
  }

  async #run(): Promise<void> {
    const backoff = new Backoff();
    while (this.#pending && !this.#ended.signal.aborted) {
      this.#pending = false;
      try {
        await this.#notify();
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        this.#deps.onEvent({ kind: "journal_failing", error });
        this.#pending = true;
        await backoff.wait(this.#ended.signal);
      }
    }
  }

  async #notify(): Promise<void> {
    const { chat, store, sender } = this.#deps;
    const notifiedUpTo = await store.notifiedUpTo(this.#receiver);
    const news = [...(await store.open()), ...(await store.resolvedAfter(notifiedUpTo))].filter(
      ({ change }) => change > notifiedUpTo,
    );
    news.sort((one, other) => one.change - other.change);
    for (const alert of news) {
      await sender.send(chat, { kind: "text", text: textOf(alert) });
      await store.recordNotified(this.#receiver, alert.change);
    }
  }
}

function textOf({ kind, subject, message, earlier, raisedAt, resolvedAt }: Alert): string {
  const about = subject === "" ? kind : `${kind} (${subject})`;
  const raised = new Date(raisedAt).toUTCString();
  if (resolvedAt === undefined) {
    const before = earlier.at(-1);
    return `🔴 ${about}\n${message}\nsince ${raised}${before === undefined ? "" : `\nbefore: ${before.message}`}`;
  }
  return `🟢 ${about} is over\n${message}\nfrom ${raised} to ${new Date(resolvedAt).toUTCString()}`;
}
