import { AlertKind } from "./responses.ts";

export const ALERT_KINDS = AlertKind.options;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** An earlier text of an alert. */
interface EarlierMessage {
  readonly message: string;
  /** When another text replaced it, Unix milliseconds. */
  readonly until: number;
}

/** A condition that lasts, or lasted. */
export interface Alert {
  readonly kind: AlertKind;
  /** Distinguishes alerts of one kind; empty when there can be only one. */
  readonly subject: string;
  /** The current text; the last one of a resolved alert. */
  readonly message: string;
  /** The texts before, oldest first; see {@link withMessage}. */
  readonly earlier: readonly EarlierMessage[];
  /** Unix milliseconds. */
  readonly raisedAt: number;
  /** `undefined` while it lasts. */
  readonly resolvedAt: number | undefined;
}

/** What tells the alerts that last from each other: of a kind and subject there is one at a time. */
export function alertKey({ kind, subject }: Pick<Alert, "kind" | "subject">): string {
  return `${kind} ${subject}`;
}

/** A condition that is found, at a time in Unix milliseconds. */
export type Finding = Pick<Alert, "kind" | "subject" | "message"> & { readonly at: number };

/** Earlier texts of an alert that are stored. */
const MAX_EARLIER = 20;

/**
 * Returns an alert with another text. Of too many earlier texts, the one that lasted the shortest is dropped, and never
 * the first: it has the cause.
 */
export function withMessage<T extends Pick<Alert, "message" | "earlier" | "raisedAt">>(
  alert: T,
  message: string,
  at: number,
): T {
  const earlier = [...alert.earlier, { message: alert.message, until: at }];
  if (earlier.length > MAX_EARLIER) {
    const lasted = earlier.map(({ until }, index) => until - (earlier[index - 1]?.until ?? alert.raisedAt));
    earlier.splice(lasted.indexOf(Math.min(...lasted.slice(1)), 1), 1);
  }
  return { ...alert, message, earlier };
}

/** The alerts on disk: an alert that lasts is not raised again after a restart. */
export interface AlertStore {
  /**
   * Raises an alert, or gives one that lasts another text.
   * @returns the alert; `undefined` when it lasts with this text
   */
  raise(finding: Finding): Promise<Alert | undefined>;
  /** @returns the alert; `undefined` when it does not last */
  resolve(kind: AlertKind, subject: string, resolvedAt: number): Promise<Alert | undefined>;
  /** Lists the alerts that last, in the order in which they were raised. */
  open(): Promise<Alert[]>;
  /** Lists the alerts that last, then the newest resolved ones; the newest first. */
  list(limit: number): Promise<Alert[]>;
}

/** Equal checks in a row that set a state. */
export const CHECKS_TO_RAISE = 3;
/** Equal checks in a row that clear a state. */
const CHECKS_TO_RESOLVE = 2;

/** A state that changes only after several equal checks in a row; `undefined` before the first ones. */
export class Debounce {
  #isSet: boolean | undefined;
  #last: boolean | undefined;
  #equal = 0;

  get state(): boolean | undefined {
    return this.#isSet;
  }

  /** Takes the result of a check, and returns the state. */
  update(value: boolean): boolean | undefined {
    this.#equal = value === this.#last ? this.#equal + 1 : 1;
    this.#last = value;
    if (this.#equal >= (value ? CHECKS_TO_RAISE : CHECKS_TO_RESOLVE)) this.#isSet = value;
    return this.#isSet;
  }
}
