import { createHmac } from "node:crypto";
import { type Alert, alertKey, type AlertStore } from "./alert.ts";
import { Backoff, type BackoffRule } from "../kit/backoff.ts";
import type { Clock } from "../kit/time.ts";
import { reasonOf } from "../errors.ts";

/** Alerts that last are sent again: Alertmanager resolves alerts that it does not receive any more. */
const REPEAT_MILLISECONDS = 60_000;
const RETRY: BackoffRule = { firstMilliseconds: 5_000, longestMilliseconds: 300_000 };
const TIMEOUT_MILLISECONDS = 10_000;

export interface AlertWebhookDeps {
  readonly url: string;
  /** Signs the requests; without it they are not signed. */
  readonly secret: string | undefined;
  readonly store: AlertStore;
  /** Source of the alerts: the server's own address, which is known when it listens. */
  readonly instance: { readonly url: string };
  readonly clock: Clock;
  /**
   * Receives why the receiver does not get the alerts, without its address, which can hold a secret; `undefined` when
   * it gets them.
   */
  readonly onDelivery: (fault: string | undefined) => void;
}

/**
 * Sends the alerts that last to one receiver in the format of Alertmanager's API v2, and once those that are over.
 */
export class AlertWebhook {
  readonly #deps: AlertWebhookDeps;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #again = false;
  /** Alerts that are over, by {@link alertKey}, until the receiver gets that or they are raised again. */
  readonly #over = new Map<string, Alert>();
  #stopped = true;
  readonly #backoff = new Backoff(RETRY);

  constructor(deps: AlertWebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stopped = false;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  /** Sends a raised or resolved alert as soon as possible. */
  note(alert: Alert): void {
    if (alert.resolvedAt === undefined) this.#over.delete(alertKey(alert));
    else this.#over.set(alertKey(alert), alert);
    this.#wake();
  }

  #wake(): void {
    if (this.#stopped) return;
    if (this.#work !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#work = this.#run().finally(() => (this.#work = undefined));
  }

  async #run(): Promise<void> {
    let wait = REPEAT_MILLISECONDS;
    try {
      do {
        this.#again = false;
        await this.#send();
        this.#backoff.reset();
        this.#deps.onDelivery(undefined);
      } while (this.#again && !this.#stopped);
    } catch (error) {
      this.#deps.onDelivery(reasonOf(error));
      wait = this.#backoff.next();
    }
    if (!this.#stopped) this.#timer = setTimeout(() => this.#wake(), wait);
  }

  async #send(): Promise<void> {
    const { url, store, secret } = this.#deps;
    const open = await store.open();
    const over = [...this.#over];
    const alerts = [...over.map(([, alert]) => alert), ...open];
    if (alerts.length === 0) return;
    const body = JSON.stringify(alerts.map((alert) => this.#toMessage(alert)));
    const { address, authorization } = splitAddress(url);
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...authorization,
        ...(secret === undefined ? {} : { "X-Sealbook-Signature": this.#sign(secret, body) }),
      },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the receiver responds with status ${response.status}`);
    for (const [key, alert] of over) if (this.#over.get(key) === alert) this.#over.delete(key);
  }

  /** Computes HMAC-SHA256 over the time and the body: the time makes a replayed request detectable. */
  #sign(secret: string, body: string): string {
    const time = Math.floor(this.#deps.clock() / 1000);
    return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
  }

  #toMessage({ kind, subject, message, raisedAt, resolvedAt }: Alert): object {
    const { url: instance } = this.#deps.instance;
    return {
      labels: {
        alertname: kind,
        service: "sealbook",
        severity: "critical",
        instance,
        ...(subject === "" ? {} : { subject }),
      },
      annotations: { summary: message },
      startsAt: new Date(raisedAt).toISOString(),
      ...(resolvedAt === undefined ? {} : { endsAt: new Date(resolvedAt).toISOString() }),
      generatorURL: `${instance}/api/v1/alerts`,
    };
  }
}

/** Moves a name and password from the address to a header, where no error message shows them. */
function splitAddress(url: string): {
  readonly address: URL;
  readonly authorization: Readonly<Record<string, string>>;
} {
  const address = new URL(url);
  const { username, password } = address;
  if (username === "" && password === "") return { address, authorization: {} };
  address.username = "";
  address.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address, authorization: { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}
