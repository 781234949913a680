import type { Alert, AlertStore } from "../operations/index.ts";
import type { BotJournal } from "./journal.ts";
import type { BotEventSink } from "./events.ts";
import type { Outbox } from "./outbox.ts";
import { Backoff } from "../kit/backoff.ts";

export interface AlertChatDeps {
  readonly chat: number;
  readonly store: AlertStore;
  readonly journal: BotJournal;
  readonly outbox: Outbox;
  readonly onEvent: BotEventSink;
}

/** Tells the administrators' chat of alerts, when they are raised and when they are resolved, each once. */
export class AlertChat {
  readonly #deps: AlertChatDeps;
  readonly #ended = new AbortController();
  #work: Promise<void> | undefined;
  #again = false;

  constructor(deps: AlertChatDeps) {
    this.#deps = deps;
  }

  /** Tells what lasts, and what has changed while this server was away; a chat that is new is not told of what is long over. */
  async start(): Promise<void> {
    const { store } = this.#deps;
    if ((await store.notifiedUpTo(this.#receiver)) === 0) {
      const over = await store.resolvedAfter(0);
      if (over.length > 0) await store.recordNotified(this.#receiver, Math.max(...over.map(({ change }) => change)));
    }
    this.wake();
  }

  /** Says that there is something to tell. */
  wake(): void {
    this.#again = true;
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#work;
  }

  get #receiver(): string {
    return `telegram ${this.#deps.chat}`;
  }

  async #run(): Promise<void> {
    const backoff = new Backoff();
    while (this.#again && !this.#ended.signal.aborted) {
      this.#again = false;
      try {
        await this.#tell();
      } catch (error) {
        this.#deps.onEvent({ kind: "journal_failing", error });
        this.#again = true;
        await backoff.wait(this.#ended.signal);
      }
    }
  }

  async #tell(): Promise<void> {
    const { chat, store, journal, outbox } = this.#deps;
    const told = await store.notifiedUpTo(this.#receiver);
    const news = [...(await store.open()), ...(await store.resolvedAfter(told))].filter(({ change }) => change > told);
    if (news.length === 0) return;
    news.sort((one, other) => one.change - other.change);
    await journal.atomically(({ chats }) =>
      chats.say(
        news.map((alert) => ({
          ...outbox.sealed(chat, { kind: "text", text: textOf(alert) }),
          key: `alert ${chat} ${alert.change}`,
        })),
      ),
    );
    await store.recordNotified(this.#receiver, Math.max(...news.map(({ change }) => change)));
    outbox.wake();
  }
}

function textOf({ kind, subject, message, raisedAt, resolvedAt }: Alert): string {
  const about = subject === "" ? kind : `${kind} (${subject})`;
  const raised = new Date(raisedAt).toUTCString();
  if (resolvedAt === undefined) return `🔴 ${about}\n${message}\nsince ${raised}`;
  return `🟢 ${about} is over\n${message}\nfrom ${raised} to ${new Date(resolvedAt).toUTCString()}`;
}
