import { responseOf, requestText, malformedResponse, closed, NodeError, type Rpc, unavailable } from "./rpc.ts";
import { Backoff, type BackoffRule } from "../../kit/backoff.ts";
import { type HttpResponse, HttpEndpoint } from "./http-endpoint.ts";

/** Limits of one request: nodes refuse longer batches and larger bodies. */
const MAX_CALLS = 100;
const MAX_CHARACTERS = 1024 * 1024;
/** A gateway returns these for a node that it cannot reach, with any body. */
const GATEWAY_STATUS = new Set([429, 502, 503, 504]);
/** A node that limits the rate of requests. */
const TOO_MANY_REQUESTS = 429;
/** Waits of a request that the node's rate limit rejects; then it fails. */
const RATE_LIMIT_RULE: BackoffRule = { firstMilliseconds: 250, longestMilliseconds: 4_000 };
const RATE_LIMIT_ATTEMPTS = 5;
const LONGEST_WAIT_SECONDS = 10;
/** Error codes of nodes that refuse batches, or long ones: invalid, unknown, over a limit. */
const REFUSES_BATCH = new Set([-32600, -32601, -32005]);

interface Call {
  readonly id: number;
  readonly text: string;
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
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ id, text, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  close(): void {
    this.#ended.abort();
    this.#node.close();
  }

  #flush(): void {
    const calls = this.#queue;
    this.#queue = [];
    this.#send(calls);
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
      this.#resolve(batch, await this.#sendWithinRate(text));
    } catch (error) {
      const failure = unavailable(error);
      for (const { reject } of batch) reject(failure);
    }
  }

  /** Sends a request; while the node limits the rate, this and all further ones wait. */
  async #sendWithinRate(text: string): Promise<HttpResponse> {
    const backoff = new Backoff(RATE_LIMIT_RULE);
    for (let attempt = 1; ; attempt += 1) {
      await this.#permitted;
      const response = await this.#node.send(text);
      if (response.status !== TOO_MANY_REQUESTS || attempt === RATE_LIMIT_ATTEMPTS) return response;
      this.#permitted = backoff.wait(this.#ended.signal, Math.min(response.retryAfterSeconds, LONGEST_WAIT_SECONDS));
    }
  }

  #resolve(batch: readonly Call[], { status, body }: HttpResponse): void {
    // Nodes respond in JSON-RPC under any status.
    const parsed = GATEWAY_STATUS.has(status) ? undefined : parse(body);
    if (parsed === undefined) throw new Error(`the node responded with HTTP ${status} and without JSON-RPC`);
    if (!Array.isArray(parsed)) return this.#resolveAsOne(batch, parsed, status);
    const calls = new Map<unknown, Call>(batch.map((call) => [call.id, call]));
    for (const message of parsed) {
      const response = responseOf(message);
      const call = calls.get(response.id);
      if (call === undefined) continue;
      calls.delete(response.id);
      resolveCall(call, response);
    }
    for (const { reject } of calls.values()) reject(malformedResponse());
  }

  /** One response to the whole batch: to its only call, or an error for all of them. */
  #resolveAsOne(batch: readonly Call[], message: unknown, status: number): void {
    const response = responseOf(message);
    const [first] = batch;
    const error = "error" in response ? response.error : undefined;
    if (batch.length === 1 && first !== undefined && (response.id === first.id || error instanceof NodeError)) {
      return resolveCall(first, response);
    }
    if (!(error instanceof NodeError))
      throw new Error(`the node responded with HTTP ${status} and to none of the calls`);
    if (batch.length > 1 && REFUSES_BATCH.has(error.code)) {
      this.#mostCalls = Math.max(1, Math.min(this.#mostCalls, Math.floor(batch.length / 2)));
      return this.#send(batch);
    }
    for (const { reject } of batch) reject(error);
  }
}

function resolveCall({ resolve, reject }: Call, response: ReturnType<typeof responseOf>): void {
  if ("error" in response) reject(response.error);
  else resolve(response.result);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
