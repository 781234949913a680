import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { explainTls, NODE, type PeerTlsOptions, type TlsPeer } from "./peer-tls.ts";
import { closed, MAX_BYTES, ResponseTooLargeError, TIMEOUT_MILLISECONDS, timedOut } from "./rpc.ts";

/** Connections to one address at a time; further requests wait. */
const MAX_CONNECTIONS = 64;

/** A response of an HTTP server. */
export interface HttpResponse {
  readonly status: number;
  readonly body: string;
  /** Seconds of a `Retry-After` header; 0 without one. */
  readonly retryAfterSeconds: number;
}

/** How requests are made. */
interface HttpEndpointOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly tls?: PeerTlsOptions;
  /** The peer, for TLS errors. */
  readonly peer?: TlsPeer;
  readonly timeoutMilliseconds?: number;
}

/**
 * Sends requests to one address over keep-alive connections: POST with JSON, or GET. Follows no redirects. Made with
 * `node:http`, because only it reports whether a failed request used a keep-alive connection; undici returns a bare
 * ECONNRESET for it, and repeats no POST.
 */
export class HttpEndpoint {
  readonly #request: typeof httpRequest;
  readonly #agent: HttpAgent;
  readonly #options: RequestOptions;
  readonly #peer: TlsPeer;
  readonly #timeout: number;
  readonly #inFlight = new Set<ClientRequest>();
  #closed = false;

  constructor(
    url: URL,
    { headers = {}, tls = {}, peer = NODE, timeoutMilliseconds = TIMEOUT_MILLISECONDS }: HttpEndpointOptions = {},
  ) {
    this.#peer = peer;
    this.#timeout = timeoutMilliseconds;
    const secure = url.protocol === "https:";
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.#agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
    this.#request = secure ? httpsRequest : httpRequest;
    this.#options = {
      ...urlToHttpOptions(url),
      ...tls,
      agent: this.#agent,
      headers: { ...headers, Accept: "application/json" },
    };
  }

  /**
   * @param body Sent with POST; GET without it
   * @throws when no complete response came in time; ResponseTooLargeError
   */
  async send(body?: string, maxBytes = MAX_BYTES): Promise<HttpResponse> {
    try {
      return await this.#send(body, maxBytes, this.#options);
    } catch (error) {
      if (!(error instanceof StaleConnection) || this.#closed) throw error;
      return this.#send(body, maxBytes, { ...this.#options, agent: false });
    }
  }

  close(): void {
    this.#closed = true;
    // The agent does not track the requests that wait for a connection.
    for (const request of this.#inFlight) request.destroy(closed());
    this.#agent.destroy();
  }

  #send(body: string | undefined, maxBytes: number, options: RequestOptions): Promise<HttpResponse> {
    if (this.#closed) return Promise.reject(closed());
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const posted = bytes === undefined ? {} : { "Content-Type": "application/json", "Content-Length": bytes.length };
    const whole = {
      ...options,
      method: bytes === undefined ? "GET" : "POST",
      headers: { ...options.headers, ...posted },
    };
    return new Promise((resolve, reject) => {
      const request = this.#request(whole, (response) => {
        const retryAfterSeconds = Number.parseInt(response.headers["retry-after"] ?? "0", 10) || 0;
        this.#readAll(response, maxBytes).then(
          (body) => resolve({ status: response.statusCode ?? 0, body, retryAfterSeconds }),
          reject,
        );
      });
      const timer = setTimeout(() => request.destroy(timedOut(this.#timeout)), this.#timeout);
      request.once("error", (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(
          stale
            ? new StaleConnection(`the ${this.#peer.name} closed the connection`, { cause: error })
            : explainTls(error, this.#peer),
        );
      });
      this.#inFlight.add(request);
      request.once("close", () => {
        clearTimeout(timer);
        this.#inFlight.delete(request);
      });
      request.end(bytes);
    });
  }

  #readAll(response: IncomingMessage, maxBytes: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes)
          response.destroy(new ResponseTooLargeError(`the node's response has more than ${maxBytes} bytes`));
      });
      response.once("end", () => resolve(Buffer.concat(chunks, size).toString("utf8")));
      response.once("error", reject);
    });
  }
}

/**
 * A keep-alive connection that the node closed at the start of a new request; the request is repeated on another one.
 * The node can receive the request twice then, which is harmless: our calls are idempotent.
 */
class StaleConnection extends Error {}
