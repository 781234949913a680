import { NodeError } from "./node-error.ts";
import {
  responseOf,
  requestText,
  malformedResponse,
  closed,
  type Rpc,
  type RpcResponse,
  unavailable,
  MAX_CONTENT_BYTES,
  maxResponseBytes,
  parseBounded,
  ResponseTooLargeError,
} from "./rpc.ts";
import { limitsRate, refusesBatch } from "./node-words.ts";
import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import { type HttpResponse, HttpEndpoint } from "./http-endpoint.ts";

/** Limits of one request: nodes refuse longer batches and larger bodies. */
const MAX_CALLS = 100;
const MAX_CHARACTERS = 1024 * 1024;
/** A gateway returns these for a node that it cannot reach, with any body. */
const GATEWAY_STATUS = new Set([502, 503, 504]);
/** A node that limits the rate of requests. */
const TOO_MANY_REQUESTS = 429;
/** Waits of a request that the node's rate limit rejects; then it fails. */
const RATE_LIMIT_RULE: BackoffRule = { firstMilliseconds: 250, longestMilliseconds: 4_000 };
const RATE_LIMIT_ATTEMPTS = 5;
/** The longest time that a call waits for a node that limits the rate, over all attempts. */
const RATE_LIMIT_MILLISECONDS = 10_000;
/** Attempts of a batch: a node whose limit counts its calls never accepts a long one. */
const BATCH_RATE_LIMIT_ATTEMPTS = 3;
/** A node that limits the size of requests. */
const CONTENT_TOO_LARGE = 413;
interface Call {
  /** Attempts that the rate limit of the node rejected, when it responded to the call itself. */
  limited: number;
  /** When it stops to wait for the rate limit, by `performance.now()`. */
  readonly deadline: number;
  readonly id: number;
  /** Whether it sends a transaction. */
  readonly isSend: boolean;
  readonly text: string;
  readonly maxBytes: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** JSON-RPC over HTTP. Calls of one turn of the event loop share a request; none waits longer. */
export class HttpRpc implements Rpc {
  readonly chainId: number;
  readonly #node: HttpEndpoint;
  #queue: Call[] = [];
  #lastId = 0;
  #mostCalls = MAX_CALLS;
  readonly #ended = new AbortController();
  /** Resolves when the node's rate limit permits further requests. */
  #permitted: Promise<void> = Promise.resolve();

  constructor(node: HttpEndpoint, chainId: number) {
    this.#node = node;
    this.chainId = chainId;
  }

  call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#ended.signal.aborted) return Promise.reject(unavailable(closed()));
    const id = ++this.#lastId;
    const text = requestText(id, method, parameters);
    const maxBytes = maxResponseBytes(method, parameters);
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + RATE_LIMIT_MILLISECONDS;
      const isSend = method === "eth_sendRawTransaction";
      this.#enqueue({ limited: 0, deadline, id, isSend, text, maxBytes, resolve, reject });
    });
  }

  close(): void {
    this.#ended.abort();
    this.#node.close();
  }

  #flush(): void {
    const calls = this.#queue;
    this.#queue = [];
    // A node can take long to accept transactions: what reads does not wait for that.
    this.#send(calls.filter(({ isSend }) => isSend));
    this.#send(calls.filter(({ isSend }) => !isSend));
  }

  #send(calls: readonly Call[]): void {
    let batch: Call[] = [];
    let characters = 0;
    for (const call of calls) {
      if (batch.length >= this.#mostCalls || (batch.length > 0 && characters + call.text.length > MAX_CHARACTERS)) {
        void this.#request(batch);
        batch = [];
        characters = 0;
      }
      batch.push(call);
      characters += call.text.length;
    }
    if (batch.length > 0) void this.#request(batch);
  }

  async #request(batch: readonly Call[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    try {
      const text = batch.length === 1 ? first.text : `[${batch.map((call) => call.text).join(",")}]`;
      const attempts = batch.length === 1 ? RATE_LIMIT_ATTEMPTS : BATCH_RATE_LIMIT_ATTEMPTS;
      const maxBytes = batch.reduce((sum, call) => sum + call.maxBytes, 0);
      const response = await this.#sendWithinRate(
        text,
        attempts,
        Math.min(maxBytes, MAX_CONTENT_BYTES),
        first.deadline,
      );
      const isTooLong = response.status === TOO_MANY_REQUESTS || response.status === CONTENT_TOO_LARGE;
      if (isTooLong && batch.length > 1) this.#sendDivided(batch);
      else this.#resolve(batch, response);
    } catch (error) {
      if (error instanceof ResponseTooLargeError && batch.length > 1) return this.#sendDivided(batch);
      const failure = unavailable(error);
      for (const { reject } of batch) reject(failure);
    }
  }

  /** Sends a request; while the node limits the rate, this and all further ones wait. */
  async #sendWithinRate(text: string, attempts: number, maxBytes: number, deadline: number): Promise<HttpResponse> {
    const backoff = new Backoff(RATE_LIMIT_RULE);
    for (let attempt = 1; ; attempt += 1) {
      const before = performance.now();
      await this.#permitted;
      const hasWaited = attempt > 1 || performance.now() - before > RATE_LIMIT_RULE.firstMilliseconds / 2;
      if (hasWaited && performance.now() > deadline) throw rateLimited();
      const response = await this.#node.send(text, maxBytes);
      const { status, retryAfterSeconds } = response;
      const isLate = performance.now() + 1_000 * retryAfterSeconds > deadline;
      if (status !== TOO_MANY_REQUESTS || attempt === attempts || isLate) return response;
      this.#permitted = backoff.wait(this.#ended.signal, retryAfterSeconds);
    }
  }

  #resolve(batch: readonly Call[], { status, body }: HttpResponse): void {
    // Nodes respond in JSON-RPC under any status.
    if (status === TOO_MANY_REQUESTS) throw rateLimited();
    const parsed = GATEWAY_STATUS.has(status) ? undefined : parse(body);
    if (parsed === undefined) throw new Error(`the node responded with HTTP ${status} and without JSON-RPC`);
    if (!Array.isArray(parsed)) return this.#resolveAsOne(batch, parsed, status);
    const responses = parsed.map(responseOf);
    // Geth refuses a long batch with one error in a list, under the id of the first call.
    const [only] = responses;
    if (
      batch.length > 1 &&
      responses.length === 1 &&
      only !== undefined &&
      "error" in only &&
      isBatchRefusal(only.error)
    )
      return this.#sendDivided(batch);
    const calls = new Map<unknown, Call>(batch.map((call) => [call.id, call]));
    for (const response of responses) {
      const call = calls.get(response.id);
      if (call === undefined) continue;
      calls.delete(response.id);
      this.#resolveCall(call, response);
    }
    for (const { reject } of calls.values()) reject(malformedResponse());
  }

  /** One response to the whole batch: to its only call, or an error for all of them. */
  #resolveAsOne(batch: readonly Call[], message: unknown, status: number): void {
    const response = responseOf(message);
    const [first] = batch;
    const error = "error" in response ? response.error : undefined;
    if (batch.length === 1 && first !== undefined && (response.id === first.id || error instanceof NodeError)) {
      return this.#resolveCall(first, response);
    }
    if (!(error instanceof NodeError))
      throw new Error(`the node responded with HTTP ${status} and to none of the calls`);
    if (batch.length > 1 && isBatchRefusal(error)) return this.#sendDivided(batch);
    for (const call of batch) this.#resolveCall(call, { id: call.id, error });
  }

  /** Sends the calls of a refused batch in shorter ones; further batches are as short. */
  #sendDivided(batch: readonly Call[]): void {
    this.#mostCalls = Math.max(1, Math.min(this.#mostCalls, Math.floor(batch.length / 2)));
    this.#send(batch);
  }

  #resolveCall(call: Call, response: RpcResponse): void {
    if (!("error" in response)) return call.resolve(response.result);
    const { error } = response;
    if (!(error instanceof NodeError && limitsRate(error))) return call.reject(error);
    const isLast = (call.limited += 1) >= RATE_LIMIT_ATTEMPTS || performance.now() > call.deadline;
    if (isLast) return call.reject(unavailable(error));
    const wait = new Backoff(RATE_LIMIT_RULE);
    for (let before = 1; before < call.limited; before += 1) wait.next();
    this.#permitted = wait.wait(this.#ended.signal);
    void this.#permitted.then(() => this.#enqueue(call));
  }

  /** Calls of one turn of the event loop are sent together. */
  #enqueue(call: Call): void {
    if (this.#queue.push(call) === 1) setImmediate(() => this.#flush());
  }
}

function isBatchRefusal(error: Error): boolean {
  return error instanceof NodeError && refusesBatch(error);
}

function rateLimited(): NodeError {
  return new NodeError("the node responded with HTTP 429", TOO_MANY_REQUESTS, undefined);
}

function parse(text: string): unknown {
  try {
    return parseBounded(text);
  } catch (error) {
    if (error instanceof ResponseTooLargeError) throw error;
    return undefined;
  }
}
