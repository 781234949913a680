import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import {
  type RpcResponse,
  responseOf,
  requestText,
  closed,
  type Rpc,
  type Subscriber,
  type Subscription,
  TIMEOUT_MILLISECONDS,
  timedOut,
  unavailable,
} from "./rpc.ts";
import { parseBounded, ResponseTooLargeError } from "./response-limit.ts";
import { Subscriptions } from "./subscriptions.ts";

/** A connection for whole messages in both directions, open or about to be. */
export interface MessageSocket {
  /** Sends a message; only after {@link SocketEvents.onOpen}. */
  send(text: string): void;
  /** Closes the connection at once; {@link SocketEvents.onClose} follows with this reason. */
  destroy(reason: Error): void;
}

/** The events of a {@link MessageSocket}; none is emitted before the opener has returned. */
export interface SocketEvents {
  onOpen(): void;
  onMessage(text: string): void;
  /** The connection is closed, or could not be opened. Emitted once, as the last event. */
  onClose(reason: Error): void;
}

/** Starts to connect. */
export type OpenSocket = (events: SocketEvents) => MessageSocket;

/** Backoff between attempts to connect; the first attempt after a lost connection is immediate. */
const RECONNECT_RULE: BackoffRule = { firstMilliseconds: 100, longestMilliseconds: 5_000 };

interface PendingCall {
  readonly onResponse: (response: RpcResponse) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * JSON-RPC over one lasting connection. The first call opens it. After a loss the next call opens it again, or the
 * client itself while there are subscribers. Failed attempts are followed by a backoff, in which calls fail at once.
 */
export class JsonRpcSocket implements Rpc {
  readonly chainId: number;
  readonly #openSocket: OpenSocket;
  readonly #timeout: number;
  readonly #subscriptions = new Subscriptions((method, parameters, onResponse) =>
    this.#request(method, parameters, onResponse),
  );
  /** By the id of the call. */
  readonly #inFlight = new Map<unknown, PendingCall>();
  /** Requests made before the connection was open. */
  #queued: string[] = [];
  #socket: MessageSocket | undefined;
  #isOpen = false;
  #lastId = 0;
  /** Messages received over the connection. */
  #messages = 0;
  readonly #backoff = new Backoff(RECONNECT_RULE);
  #pauseMilliseconds = 0;
  #nextAttempt = 0;
  #reconnect: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #closed = false;

  /** @param timeoutMilliseconds `Infinity` waits for a response as long as the connection lasts */
  constructor(openSocket: OpenSocket, chainId: number, timeoutMilliseconds = TIMEOUT_MILLISECONDS) {
    this.#timeout = timeoutMilliseconds;
    this.#openSocket = openSocket;
    this.chainId = chainId;
  }

  /** @param parameters By position, or by name in an object */
  call(method: string, parameters: readonly unknown[] | object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#request(method, parameters, (response) =>
        "error" in response ? reject(response.error) : resolve(response.result),
      );
    });
  }

  subscribe(topic: "newHeads", subscriber: Subscriber): Subscription {
    const subscription = this.#subscriptions.add(topic, subscriber);
    if (this.#isOpen) this.#subscriptions.begin(subscription);
    else this.#connectWhenDue();
    return {
      end: () => {
        this.#subscriptions.remove(subscription);
        if (this.#subscriptions.isEmpty) clearTimeout(this.#reconnect);
      },
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#reconnect);
    const socket = this.#socket;
    this.#lost(closed());
    socket?.destroy(closed());
  }

  /** Calls `onResponse` in the turn of the response, before any later message is read. */
  #request(method: string, parameters: readonly unknown[] | object, onResponse: (response: RpcResponse) => void): void {
    const id = ++this.#lastId;
    if (this.#closed) return onResponse({ id, error: unavailable(closed()) });
    if (this.#socket === undefined) {
      if (performance.now() < this.#nextAttempt) return onResponse({ id, error: unavailable(this.#failure) });
      this.#connect();
    }
    const messagesBefore = this.#messages;
    const socket = this.#socket;
    const expire = (): void => {
      this.#inFlight.delete(id);
      const reason = timedOut(this.#timeout);
      onResponse({ id, error: unavailable(reason) });
      // One call may run long. A connection without any message in the meantime is dead.
      if (this.#messages === messagesBefore) socket?.destroy(reason);
    };
    const timer = this.#timeout === Infinity ? undefined : setTimeout(expire, this.#timeout);
    this.#inFlight.set(id, { onResponse, timer });
    const text = requestText(id, method, parameters);
    if (this.#isOpen) this.#socket?.send(text);
    else this.#queued.push(text);
  }

  #connectWhenDue(): void {
    if (this.#socket !== undefined || this.#closed) return;
    clearTimeout(this.#reconnect);
    const pause = this.#nextAttempt - performance.now();
    if (pause <= 0) this.#connect();
    else this.#reconnect = setTimeout(() => this.#connectWhenDue(), pause);
  }

  #connect(): void {
    clearTimeout(this.#reconnect);
    const socket = this.#openSocket({
      onOpen: () => this.#socket === socket && this.#opened(socket),
      onMessage: (text) => this.#socket === socket && this.#receive(socket, text),
      onClose: (reason) => this.#socket === socket && this.#lost(reason),
    });
    this.#socket = socket;
  }

  #opened(socket: MessageSocket): void {
    this.#isOpen = true;
    const unsent = this.#queued;
    this.#queued = [];
    for (const text of unsent) socket.send(text);
    this.#subscriptions.beginAll();
  }

  #receive(socket: MessageSocket, text: string): void {
    let message: unknown;
    try {
      message = parseBounded(text);
    } catch (error) {
      if (error instanceof ResponseTooLargeError) return socket.destroy(error);
      return socket.destroy(new Error("the node's message is not JSON", { cause: error }));
    }
    this.#messages += 1;
    // Only a response proves that the node is available: a gateway accepts and drops connections while its node is
    // unavailable.
    this.#pauseMilliseconds = 0;
    this.#backoff.reset();
    for (const each of Array.isArray(message) ? message : [message]) {
      if (this.#subscriptions.takes(each)) continue;
      const response = responseOf(each);
      const waiting = this.#inFlight.get(response.id);
      if (waiting === undefined) continue;
      this.#inFlight.delete(response.id);
      clearTimeout(waiting.timer);
      waiting.onResponse(response);
    }
  }

  #lost(reason: Error): void {
    this.#socket = undefined;
    this.#isOpen = false;
    this.#queued = [];
    this.#failure = reason;
    this.#nextAttempt = performance.now() + this.#pauseMilliseconds;
    this.#pauseMilliseconds = this.#backoff.next();
    const failure = unavailable(reason);
    const waiting = [...this.#inFlight];
    this.#inFlight.clear();
    for (const [id, { onResponse, timer }] of waiting) {
      clearTimeout(timer);
      onResponse({ id, error: failure });
    }
    this.#subscriptions.lost(failure);
    if (!this.#subscriptions.isEmpty) this.#connectWhenDue();
  }
}
