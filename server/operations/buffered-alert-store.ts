import type { Alert, AlertKind, AlertStore } from "./alert.ts";

/** Maximum number of changes that wait to be stored; the oldest ones are dropped. */
const MAX_PENDING = 1_000;

/** A change that could not be stored yet. */
type Change =
  | { readonly kind: "raised"; readonly alert: Alert }
  | { readonly kind: "resolved"; readonly alert: Pick<Alert, "kind" | "subject">; readonly at: number };

/**
 * Keeps alerts in memory while the database cannot be written: a full disk or deleted files are alerts too. They are
 * stored with the next change that can be stored.
 */
export class BufferedAlertStore implements AlertStore {
  readonly #store: AlertStore;
  readonly #pending: Change[] = [];
  /** The newest change of which each receiver was notified. */
  readonly #notified = new Map<string, number>();

  constructor(store: AlertStore) {
    this.#store = store;
  }

  async raise(alert: Parameters<AlertStore["raise"]>[0]): Promise<Alert | undefined> {
    try {
      await this.#flush();
      return await this.#store.raise(alert);
    } catch {
      // It has no number yet; receivers get it with every notification.
      const unsaved = { ...alert, resolvedAt: undefined, change: 0 };
      this.#add({ kind: "raised", alert: unsaved });
      return unsaved;
    }
  }

  async amend(kind: AlertKind, subject: string, message: string): Promise<void> {
    try {
      await this.#flush();
      await this.#store.amend(kind, subject, message);
    } catch {
      const index = this.#pending.findLastIndex(
        ({ alert }) => alert.kind === kind && alert.subject === subject && "message" in alert,
      );
      const pending = this.#pending[index];
      if (pending?.kind === "raised") this.#pending[index] = { kind: "raised", alert: { ...pending.alert, message } };
    }
  }

  async resolve(kind: AlertKind, subject: string, at: number): Promise<Alert | undefined> {
    try {
      await this.#flush();
      return await this.#store.resolve(kind, subject, at);
    } catch {
      const known = (await this.open()).find((alert) => alert.kind === kind && alert.subject === subject);
      if (known === undefined) return undefined;
      this.#add({ kind: "resolved", alert: known, at });
      return { ...known, resolvedAt: at };
    }
  }

  async open(): Promise<Alert[]> {
    const stored = await this.#store.open().catch(() => []);
    return this.#pending.reduce<Alert[]>((alerts, change) => {
      const others = alerts.filter(
        ({ kind, subject }) => kind !== change.alert.kind || subject !== change.alert.subject,
      );
      return change.kind === "raised" ? [...others, change.alert] : others;
    }, stored);
  }

  async list(limit: number): Promise<Alert[]> {
    const raised = this.#pending.flatMap((change) => (change.kind === "raised" ? [change.alert] : []));
    const unsaved = raised.map((alert) => ({ ...alert, resolvedAt: this.#resolvedAt(alert) })).reverse();
    const stored = (await this.#store.list(limit).catch(() => [])).map((alert) =>
      alert.resolvedAt === undefined ? { ...alert, resolvedAt: this.#resolvedAt(alert) } : alert,
    );
    return [...unsaved, ...stored]
      .sort((a, b) => Number(a.resolvedAt !== undefined) - Number(b.resolvedAt !== undefined))
      .slice(0, limit);
  }

  resolvedAfter(change: number): Promise<Alert[]> {
    return this.#store.resolvedAfter(change).catch(() => []);
  }

  async notifiedUpTo(receiver: string): Promise<number> {
    const stored = await this.#store.notifiedUpTo(receiver).catch(() => 0);
    return Math.max(stored, this.#notified.get(receiver) ?? 0);
  }

  async recordNotified(receiver: string, change: number): Promise<void> {
    this.#notified.set(receiver, change);
    await this.#store.recordNotified(receiver, change).catch(() => undefined);
  }

  #add(change: Change): void {
    this.#pending.push(change);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
  }

  /** Stores the changes in their order; those that fail stay. */
  async #flush(): Promise<void> {
    for (let change = this.#pending[0]; change !== undefined; change = this.#pending[0]) {
      const { kind, subject } = change.alert;
      if (change.kind === "raised") await this.#store.raise(change.alert);
      else await this.#store.resolve(kind, subject, change.at);
      this.#pending.shift();
    }
  }

  #resolvedAt({ kind, subject, raisedAt }: Alert): number | undefined {
    const change = this.#pending.find(
      (each) =>
        each.kind === "resolved" && each.at >= raisedAt && each.alert.kind === kind && each.alert.subject === subject,
    );
    return change?.kind === "resolved" ? change.at : undefined;
  }
}
