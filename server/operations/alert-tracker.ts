import { type Alert, alertKey, ALERT_KINDS, type AlertKind, type AlertStore } from "./alert.ts";
import type { Clock } from "../kit/time.ts";
import type { Logger } from "../kit/logger.ts";

/** Receives alerts that are raised or resolved. */
export type AlertListener = (alert: Alert) => void;

/** Raises and resolves alerts, each once. Its methods do not throw: an alert that cannot be stored is only logged. */
export class AlertTracker {
  readonly #store: AlertStore;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #listeners = new Set<AlertListener>();
  /** The alerts that last, by kind and subject. */
  readonly #open = new Map<string, Pick<Alert, "kind" | "subject" | "message">>();
  /** Texts that are not stored yet, by kind and subject. */
  readonly #unstored = new Map<string, { message: string }>();
  /** Why receivers do not get the alerts, by their names. */
  readonly #undelivered = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();

  constructor(store: AlertStore, logger: Logger, clock: Clock) {
    this.#store = store;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Loads the alerts that were raised before this start and last. */
  async start(): Promise<void> {
    for (const alert of await this.#store.open()) this.#open.set(alertKey(alert), alert);
  }

  /** Waits until every change is stored. */
  stop(): Promise<void> {
    return this.#work;
  }

  /** Notifies `listener` of raised and resolved alerts. */
  subscribe(listener: AlertListener): void {
    this.#listeners.add(listener);
  }

  /**
   * Notes whether a receiver gets the alerts.
   * @param fault Why it does not; `undefined` when it does
   */
  reportDelivery(receiver: string, fault: string | undefined): void {
    const before = this.#undelivered.get(receiver);
    if (fault === undefined) this.#undelivered.delete(receiver);
    else this.#undelivered.set(receiver, fault);
    if (fault !== undefined && before === undefined)
      this.#logger.warn({ receiver, reason: fault }, "alerts do not reach a receiver; the server retries");
    if (fault === undefined && before !== undefined) this.#logger.info({ receiver }, "alerts reach a receiver again");
  }

  /** Lists the receivers that do not get the alerts, with the reason. */
  undelivered(): string[] {
    return Array.from(this.#undelivered, ([receiver, reason]) => `alerts do not reach ${receiver}: ${reason}`);
  }

  /** Whether an alert lasts. */
  lasts(kind: AlertKind, subject = ""): boolean {
    return this.#open.has(alertKey({ kind, subject }));
  }

  /** The alerts that last. */
  get active(): readonly Pick<Alert, "kind" | "subject" | "message">[] {
    return [...this.#open.values()];
  }

  /** Counts the alerts that last, by kind. */
  counts(): ReadonlyMap<AlertKind, number> {
    const { active } = this;
    return new Map(ALERT_KINDS.map((kind) => [kind, active.filter((alert) => alert.kind === kind).length]));
  }

  /** Raises an alert; one that lasts gets the text as its current one. */
  raise(kind: AlertKind, message: string, subject = ""): void {
    const key = alertKey({ kind, subject });
    const before = this.#open.get(key);
    if (before?.message === message) return;
    this.#open.set(key, { kind, subject, message });
    if (before === undefined) this.#logger.error({ alert: kind, state: "raised", subject }, message);
    // One write stores all texts until then.
    const unstored = this.#unstored.get(key);
    if (unstored !== undefined) {
      unstored.message = message;
      return;
    }
    const text = { message };
    const at = this.#clock();
    this.#unstored.set(key, text);
    this.#write(() => {
      if (this.#unstored.get(key) === text) this.#unstored.delete(key);
      return this.#store.raise({ kind, subject, message: text.message, at });
    });
  }

  resolve(kind: AlertKind, message: string, subject = ""): void {
    const key = alertKey({ kind, subject });
    if (!this.#open.delete(key)) return;
    // A text from now on is that of another alert.
    this.#unstored.delete(key);
    const resolvedAt = this.#clock();
    this.#logger.info({ alert: kind, state: "resolved", subject }, message);
    this.#write(() => this.#store.resolve(kind, subject, resolvedAt));
  }

  /**
   * Makes the alerts of a group equal to a list: raises the new ones and resolves those that are not on it, also ones
   * from before this start.
   * @param group Prefix of the subjects
   * @param resolution Message of the resolved ones
   */
  replaceGroup(
    group: string,
    faults: readonly { readonly kind: AlertKind; readonly subject: string; readonly message: string }[],
    resolution: string,
  ): void {
    const prefixed = faults.map((fault) => ({ ...fault, subject: `${group}${fault.subject}` }));
    const lasting = new Set(prefixed.map(alertKey));
    for (const [key, { kind, subject }] of [...this.#open]) {
      if (subject.startsWith(group) && !lasting.has(key)) this.resolve(kind, resolution, subject);
    }
    for (const { kind, subject, message } of prefixed) this.raise(kind, message, subject);
  }

  /** Stores changes one after the other: an alert must not be resolved before it is raised. */
  #write(change: () => Promise<Alert | undefined>): void {
    this.#work = this.#work.then(async () => {
      try {
        const alert = await change();
        if (alert !== undefined) this.#notify(alert);
      } catch (err) {
        this.#logger.error({ err }, "an alert could not be stored; its receivers are not notified");
      }
    });
  }

  /** Receivers get another text with the next regular notification. */
  #notify(alert: Alert): void {
    if (alert.resolvedAt === undefined && alert.earlier.length > 0)
      this.#logger.warn({ alert: alert.kind, state: "changed", subject: alert.subject }, alert.message);
    else for (const listener of this.#listeners) listener(alert);
  }
}
