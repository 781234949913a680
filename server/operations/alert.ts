/** What operators are called for. */
export const ALERT_KINDS = ["node_down", "sync_lost", "degraded_performance", "journal_divergence"] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** Something that is wrong, or was. */
export interface Alert {
  readonly kind: AlertKind;
  /** What it is about, where there can be several of a kind at once. */
  readonly subject: string;
  readonly message: string;
  /** Unix milliseconds. */
  readonly raisedAt: number;
  /** `undefined` while it lasts. */
  readonly resolvedAt: number | undefined;
  /** Rises with every raising and resolving of any alert. */
  readonly change: number;
}

/** The alerts on disk: what was raised before a restart is not raised again after it. */
export interface AlertStore {
  /** @returns the alert, unless the same one lasts already */
  raise(alert: Pick<Alert, "kind" | "subject" | "message" | "raisedAt">): Promise<Alert | undefined>;
  /** @returns the alert, unless there is none that lasts */
  resolve(kind: AlertKind, subject: string, resolvedAt: number): Promise<Alert | undefined>;
  /** Those that last. */
  open(): Promise<Alert[]>;
  /** Those that last, and the newest of those that are over; newest change first. */
  list(limit: number): Promise<Alert[]>;
  /** Those that are over since a change. */
  resolvedAfter(change: number): Promise<Alert[]>;
  /** The newest change that a receiver was told of. */
  toldTo(receiver: string): Promise<number>;
  tell(receiver: string, change: number): Promise<void>;
}
