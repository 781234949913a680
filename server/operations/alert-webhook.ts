import { createHmac } from "node:crypto";
import type { Alert, AlertStore } from "./alert.ts";
import type { Clock } from "../kit/clock.ts";

/** Alerts that last are told again: a receiver such as Alertmanager takes silence for their end. */
const REPEAT_MILLISECONDS = 60_000;
const FIRST_RETRY_MILLISECONDS = 5_000;
const LAST_RETRY_MILLISECONDS = 300_000;
const TIMEOUT_MILLISECONDS = 10_000;

export interface AlertWebhookDeps {
  readonly url: string;
  /** Signs what is sent, when there is one. */
  readonly secret: string | undefined;
  readonly store: AlertStore;
  /** Source of the alerts: the server's own address, which is known when it listens. */
  readonly instance: { readonly url: string };
  readonly clock: Clock;
  /** Told once for each outage of the receiver, without its address, which can hold a secret. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Tells one receiver of alerts, in the format of Alertmanager's API v2. How far it was told is on disk: what it missed
 * while it, or this server, was away it is told afterwards.
 */
export class AlertWebhook {
  readonly #deps: AlertWebhookDeps;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #retry = FIRST_RETRY_MILLISECONDS;
  #failing = false;

  constructor(deps: AlertWebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  /** Says that there is something to tell. */
  wake(): void {
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
    do {
      this.#again = false;
      try {
        await this.#tell();
        this.#retry = FIRST_RETRY_MILLISECONDS;
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#deps.onFailure(error instanceof Error ? error.message : String(error));
        this.#failing = true;
        wait = this.#retry;
        this.#retry = Math.min(2 * this.#retry, LAST_RETRY_MILLISECONDS);
      }
    } while (this.#again && !this.#failing && !this.#stopped);
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), wait);
  }

  async #tell(): Promise<void> {
    const { url, store, secret } = this.#deps;
    const receiver = receiverOf(url);
    const told = await store.toldTo(receiver);
    const [open, resolved] = [await store.open(), await store.resolvedAfter(told)];
    const alerts = [...open, ...resolved];
    if (alerts.length === 0) return;
    const body = JSON.stringify(alerts.map((alert) => this.#represent(alert)));
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
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    await store.tell(receiver, Math.max(told, ...alerts.map(({ change }) => change)));
  }

  /** HMAC-SHA256 over the time and the body, so that what somebody caught cannot be sent again later. */
  #sign(secret: string, body: string): string {
    const time = Math.floor(this.#deps.clock() / 1000);
    return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
  }

  #represent({ kind, subject, message, raisedAt, resolvedAt }: Alert): object {
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

/** A name and password in the address are sent as a header: there they are in no error. */
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

/** What a receiver is known by on disk: its address may hold a secret. */
function receiverOf(url: string): string {
  return createHmac("sha256", "receiver").update(url).digest("hex").slice(0, 32);
}
