import { type Alert, ALERT_KINDS, type AlertKind, type AlertStore } from "./alert.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/logger.ts";

/** Told of every alert that is raised or resolved. */
export type AlertListener = (alert: Alert) => void;

/** Raises and resolves alerts, each once. Nothing here throws: what cannot be written is logged, and told nevertheless. */
export class AlertTracker {
  readonly #store: AlertStore;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #listeners = new Set<AlertListener>();
  /** Those that last, by kind and subject, as far as this process knows. */
  readonly #open = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(store: AlertStore, logger: Logger, clock: Clock) {
    this.#store = store;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Takes up what lasts since before this process. */
  async start(): Promise<void> {
    for (const { kind, subject } of await this.#store.open()) this.#open.add(keyOf(kind, subject));
  }

  /** Ends when everything is written. */
  async stop(): Promise<void> {
    await this.#work;
  }

  subscribe(listener: AlertListener): void {
    this.#listeners.add(listener);
  }

  lasts(kind: AlertKind, subject = ""): boolean {
    return this.#open.has(keyOf(kind, subject));
  }

  /** How many of each kind last. */
  counts(): ReadonlyMap<AlertKind, number> {
    const open = [...this.#open];
    return new Map(ALERT_KINDS.map((kind) => [kind, open.filter((key) => key.startsWith(`${kind} `)).length]));
  }

  raise(kind: AlertKind, message: string, subject = ""): void {
    if (this.lasts(kind, subject)) return;
    this.#open.add(keyOf(kind, subject));
    const raisedAt = this.#clock();
    this.#logger.error({ alert: kind, state: "raised", subject }, message);
    this.#write(() => this.#store.raise({ kind, subject, message, raisedAt }));
  }

  resolve(kind: AlertKind, message: string, subject = ""): void {
    if (!this.#open.delete(keyOf(kind, subject))) return;
    const resolvedAt = this.#clock();
    this.#logger.info({ alert: kind, state: "resolved", subject }, message);
    this.#write(() => this.#store.resolve(kind, subject, resolvedAt));
  }

  /**
   * Has just these last, of those about the network: raises what is new and resolves what is over, also what lasts since
   * before this process.
   */
  keep(
    group: string,
    faults: readonly { readonly kind: AlertKind; readonly subject: string; readonly message: string }[],
    over: string,
  ): void {
    const prefixed = faults.map((fault) => ({ ...fault, subject: `${group}${fault.subject}` }));
    const lasting = new Set(prefixed.map(({ kind, subject }) => keyOf(kind, subject)));
    for (const key of [...this.#open]) {
      const kind = ALERT_KINDS.find((each) => key.startsWith(`${each} ${group}`));
      if (kind !== undefined && !lasting.has(key)) this.resolve(kind, over, key.slice(kind.length + 1));
    }
    for (const { kind, subject, message } of prefixed) this.raise(kind, message, subject);
  }

  /** One after the other, so that an alert is never resolved before it was raised. */
  #write(change: () => Promise<Alert | undefined>): void {
    this.#work = this.#work.then(async () => {
      try {
        const alert = await change();
        if (alert !== undefined) for (const listener of this.#listeners) listener(alert);
      } catch (err) {
        this.#logger.error({ err }, "an alert could not be written");
      }
    });
  }
}

function keyOf(kind: AlertKind, subject: string): string {
  return `${kind} ${subject}`;
}
