import type { Alert, AlertStore } from "../operations/index.ts";
import type { BotEventSink } from "./events.ts";
import type { MessageSender } from "./message-sender.ts";
import { Backoff } from "../kit/backoff.ts";

export interface AlertChatDeps {
  readonly chat: number;
  readonly store: AlertStore;
  readonly sender: MessageSender;
  readonly onEvent: BotEventSink;
  /** Receives why the chat does not get the alerts; `undefined` when it gets them. */
  readonly onDelivery: (fault: string | undefined) => void;
}

/** Characters of a message. */
const MAX_TEXT = 4_096;

/** The chat rejects messages: the bot is not in it yet, or may not write. */
class Rejected extends Error {}

/**
 * Sends each raised and resolved alert, and each other text that it gets, to the administrators' chat. Sends an alert
 * again that was in flight when the process was killed, because its delivery is unknown, and until the chat accepts it.
 */
export class AlertChat {
  readonly #deps: AlertChatDeps;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #pending = false;

  constructor(deps: AlertChatDeps) {
    this.#deps = deps;
  }

  /** Sends open alerts and the changes since the last run. */
  start(): void {
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
        if (!(error instanceof Rejected)) this.#deps.onEvent({ kind: "journal_failing", error });
        this.#pending = true;
        await backoff.wait(this.#ended.signal);
      }
    }
  }

  async #notify(): Promise<void> {
    const { chat, store, sender, onEvent, onDelivery } = this.#deps;
    const notifiedUpTo = await store.notifiedUpTo(this.#receiver);
    const resolved = await store.resolvedAfter(notifiedUpTo);
    // A chat that never got anything is told of no alert that is over.
    const isNew = notifiedUpTo === 0;
    const news = [...(await store.open()), ...(isNew ? [] : resolved)].filter(({ change }) => change > notifiedUpTo);
    news.sort((one, other) => one.change - other.change);
    if (news.length === 0) onDelivery(undefined);
    for (const alert of news) {
      const delivery = await sender.deliver(chat, { kind: "text", text: textOf(alert).slice(0, MAX_TEXT) });
      const fault = "rejected" in delivery && delivery.isChatFault ? delivery.rejected : undefined;
      onDelivery(fault);
      if (fault !== undefined) throw new Rejected(fault);
      // Another message of the same chat can be accepted.
      if ("rejected" in delivery) onEvent({ kind: "undeliverable", reason: delivery.rejected });
      await store.recordNotified(this.#receiver, alert.change);
    }
    const known = Math.max(...[...resolved, ...news].map(({ change }) => change));
    if (isNew && known > 0) await store.recordNotified(this.#receiver, known);
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
