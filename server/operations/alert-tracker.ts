import { type Alert, ALERT_KINDS, type AlertKind, type AlertStore } from "./alert.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/logger.ts";

/** Receives every alert that is raised or resolved. */
export type AlertListener = (alert: Alert) => void;

/** Raises and resolves alerts, each once. Its methods do not throw: an alert that cannot be stored is only logged. */
export class AlertTracker {
  readonly #store: AlertStore;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #listeners = new Set<AlertListener>();
  /** Messages of the alerts that last, by kind and subject. */
  readonly #open = new Map<string, string>();
  /** Alerts whose changed message is not stored yet. */
  readonly #changed = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(store: AlertStore, logger: Logger, clock: Clock) {
    this.#store = store;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Loads the alerts that were raised before this start and last. */
  async start(): Promise<void> {
    for (const { kind, subject, message } of await this.#store.open()) this.#open.set(keyOf(kind, subject), message);
  }

  /** Waits until every change is stored. */
  async stop(): Promise<void> {
    await this.#work;
  }

  /** Notifies `listener` of every stored change. */
  subscribe(listener: AlertListener): void {
    this.#listeners.add(listener);
  }

  /** Whether an alert lasts. */
  lasts(kind: AlertKind, subject = ""): boolean {
    return this.#open.has(keyOf(kind, subject));
  }

  /** Counts the alerts that last, by kind. */
  counts(): ReadonlyMap<AlertKind, number> {
    const open = [...this.#open.keys()];
    return new Map(ALERT_KINDS.map((kind) => [kind, open.filter((key) => key.startsWith(`${kind} `)).length]));
  }

  raise(kind: AlertKind, message: string, subject = ""): void {
    if (this.lasts(kind, subject)) return;
    this.#open.set(keyOf(kind, subject), message);
    const raisedAt = this.#clock();
    this.#logger.error({ alert: kind, state: "raised", subject }, message);
    this.#write(() => this.#store.raise({ kind, subject, message, raisedAt }));
  }

  /**
   * Raises an alert, or changes the message of one that lasts. Receivers get a changed message with the next regular
   * notification, so that any number of changes costs them nothing.
   */
  update(kind: AlertKind, message: string, subject = ""): void {
    const key = keyOf(kind, subject);
    if (!this.#open.has(key)) return this.raise(kind, message, subject);
    if (this.#open.get(key) === message) return;
    this.#open.set(key, message);
    // One write stores all changes until then.
    if (this.#changed.has(key)) return;
    this.#changed.add(key);
    this.#write(async () => {
      this.#changed.delete(key);
      const newest = this.#open.get(key);
      if (newest !== undefined) await this.#store.amend(kind, subject, newest);
      return undefined;
    });
  }

  resolve(kind: AlertKind, message: string, subject = ""): void {
    if (!this.#open.delete(keyOf(kind, subject))) return;
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
    const lasting = new Set(prefixed.map(({ kind, subject }) => keyOf(kind, subject)));
    for (const key of [...this.#open.keys()]) {
      const kind = ALERT_KINDS.find((each) => key.startsWith(`${each} ${group}`));
      if (kind !== undefined && !lasting.has(key)) this.resolve(kind, resolution, key.slice(kind.length + 1));
    }
    for (const { kind, subject, message } of prefixed) this.raise(kind, message, subject);
  }

  /** Stores changes one after the other: an alert must not be resolved before it is raised. */
  #write(change: () => Promise<Alert | undefined>): void {
    this.#work = this.#work.then(async () => {
      try {
        const alert = await change();
        if (alert !== undefined) for (const listener of this.#listeners) listener(alert);
      } catch (err) {
        this.#logger.error({ err }, "an alert could not be stored; its receivers are not notified");
      }
    });
  }
}

function keyOf(kind: AlertKind, subject: string): string {
  return `${kind} ${subject}`;
}
