import type { RpcResponse, Subscriber } from "./rpc.ts";

/** Maximum number of notifications that are kept until their subscription's id is received. */
const MAX_EARLY = 256;

/** A subscriber with the node's id of the subscription on this connection. */
export interface Subscribed {
  readonly topic: string;
  readonly subscriber: Subscriber;
  /** Set while the subscription is live. */
  id: string | undefined;
  ended: boolean;
}

/** Makes a call; `onResponse` runs before any later message is read. */
type Request = (method: string, parameters: readonly unknown[], onResponse: (response: RpcResponse) => void) => void;

/** The subscriptions over a connection that can be lost and opened again. */
export class Subscriptions {
  readonly #request: Request;
  readonly #all = new Set<Subscribed>();
  readonly #byId = new Map<string, Subscribed>();
  /** Subscription requests in flight. */
  #pending = 0;
  /** Notifications that arrived before the response with the subscription's id. */
  #early: Notification[] = [];

  constructor(request: Request) {
    this.#request = request;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  add(topic: string, subscriber: Subscriber): Subscribed {
    const subscribed = { topic, subscriber, id: undefined, ended: false };
    this.#all.add(subscribed);
    return subscribed;
  }

  remove(subscribed: Subscribed): void {
    if (!this.#all.delete(subscribed)) return;
    subscribed.ended = true;
    if (subscribed.id === undefined) return;
    this.#byId.delete(subscribed.id);
    this.#unsubscribe(subscribed.id);
  }

  /** Subscribes all subscribers after the connection was opened. */
  beginAll(): void {
    for (const subscribed of [...this.#all]) this.begin(subscribed);
  }

  /** Subscribes one subscriber over the open connection. */
  begin(subscribed: Subscribed): void {
    const { topic, subscriber } = subscribed;
    this.#pending += 1;
    this.#request("eth_subscribe", [topic], (response) => {
      this.#pending -= 1;
      const early = this.#early;
      if (this.#pending === 0) this.#early = [];
      if ("error" in response) {
        if (!subscribed.ended) subscriber.onLost(response.error);
        return;
      }
      const id = String(response.result);
      if (subscribed.ended) return this.#unsubscribe(id);
      subscribed.id = id;
      this.#byId.set(id, subscribed);
      subscriber.onLive();
      for (const notice of early) if (notice.id === id && !subscribed.ended) subscriber.onNotification(notice.content);
    });
  }

  /** Ends all subscriptions after the connection was lost. */
  lost(error: unknown): void {
    this.#byId.clear();
    for (const subscribed of [...this.#all]) {
      if (subscribed.id === undefined) continue;
      subscribed.id = undefined;
      subscribed.subscriber.onLost(error);
    }
  }

  /** @returns whether the message was a notification */
  takes(message: unknown): boolean {
    const notice = notificationOf(message);
    if (notice === undefined) return false;
    const subscribed = this.#byId.get(notice.id);
    if (subscribed !== undefined) subscribed.subscriber.onNotification(notice.content);
    else if (this.#pending > 0 && this.#early.length < MAX_EARLY) this.#early.push(notice);
    return true;
  }

  #unsubscribe(id: string): void {
    this.#request("eth_unsubscribe", [id], () => undefined);
  }
}

interface Notification {
  readonly id: string;
  readonly content: unknown;
}

function notificationOf(message: unknown): Notification | undefined {
  if (typeof message !== "object" || message === null || !("method" in message)) return undefined;
  const params = "params" in message ? message.params : undefined;
  if (typeof params !== "object" || params === null || !("subscription" in params)) return undefined;
  return { id: String(params.subscription), content: "result" in params ? params.result : undefined };
}
