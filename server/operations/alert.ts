/** Conditions that operators are alerted to. */
export const ALERT_KINDS = [
  "node_down",
  "wrong_chain",
  "sync_lost",
  "degraded_performance",
  "journal_divergence",
  "storage_failure",
  "clock_skew",
  "foreign_writes",
] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A condition that lasts, or lasted. */
export interface Alert {
  readonly kind: AlertKind;
  /** Distinguishes alerts of one kind; empty when there can be only one. */
  readonly subject: string;
  readonly message: string;
  /** Unix milliseconds. */
  readonly raisedAt: number;
  /** `undefined` while it lasts. */
  readonly resolvedAt: number | undefined;
  /** Number of the last change; it increases whenever any alert is raised or resolved. */
  readonly change: number;
}

/** The alerts on disk: an alert that lasts is not raised again after a restart. */
export interface AlertStore {
  /** @returns the alert; `undefined` when it lasts already */
  raise(alert: Pick<Alert, "kind" | "subject" | "message" | "raisedAt">): Promise<Alert | undefined>;
  /** Changes the message of an alert that lasts. */
  amend(kind: AlertKind, subject: string, message: string): Promise<void>;
  /** @returns the alert; `undefined` when it does not last */
  resolve(kind: AlertKind, subject: string, resolvedAt: number): Promise<Alert | undefined>;
  /** Lists the alerts that last. */
  open(): Promise<Alert[]>;
  /** Lists the alerts that last, then the newest resolved ones; the newest change first. */
  list(limit: number): Promise<Alert[]>;
  /** Lists the alerts that were resolved after a change. */
  resolvedAfter(change: number): Promise<Alert[]>;
  /** Returns the newest change that a receiver was notified of; 0 before the first. */
  notifiedUpTo(receiver: string): Promise<number>;
  /** Records that a receiver was notified of all changes up to one. */
  recordNotified(receiver: string, change: number): Promise<void>;
}
