import type { z } from "zod";
import { ClientError } from "./errors.ts";
import { linesOf, ndjsonOf } from "./ndjson.ts";

/** Options of the connection to the server. */
export interface HttpOptions {
  /** Sent with every request, for instance an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a browser sends and keeps cookies; other programs never do. */
  readonly credentials?: "omit" | "same-origin";
  /** Timeout of one request; the default suits a server that waits 30 s for a confirmation. */
  readonly timeoutMilliseconds?: number;
}

/** One request. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Path below the server's address, without a leading slash; or an absolute address. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A response of any status. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The raw body, and its text. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly body: unknown;
}

/** A response with its lines as a stream; an error response has its whole body instead. */
export interface HttpStream extends HttpResponse {
  /** The texts of the lines. */
  readonly lines: AsyncIterable<string>;
}

const TIMEOUT_MILLISECONDS = 90_000;
/** Streams the request body while the response is read; missing in the types of browsers. */
const AS_IT_COMES = { duplex: "half" } as const;
/** The API never redirects. fetch would send the API key to the target of a redirect. */
const STAY_HERE = { redirect: "error" } as const;
/** For how long a server is tried that has never responded: it may just be starting. */
const UNKNOWN_SERVER_MILLISECONDS = 3_000;
/** Codes of reasons that stay: no such host, and a certificate that is not trusted. */
const LASTING =
  /^(ENOTFOUND$|ERR_INVALID_URL$|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_PURPOSE$)/;
const NDJSON = "application/x-ndjson";

/** Sends requests to one server. */
export class Http {
  /** The server's address, with a slash at the end. */
  readonly base: string;
  readonly #options: HttpOptions;
  #hasResponded = false;

  constructor(url: string, options: HttpOptions = {}) {
    this.base = url.endsWith("/") ? url : `${url}/`;
    this.#options = options;
  }

  /**
   * @throws ClientError `unreachable` or `timeout` without a complete response; the reason of an aborted `signal`
   */
  async send({ method, path, body, headers, signal }: HttpRequest): Promise<HttpResponse> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS);
    try {
      const response = await fetch(new URL(path, this.base), {
        method,
        headers: {
          Accept: "application/json",
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(this.#options.credentials === undefined ? {} : { credentials: this.#options.credentials }),
        ...STAY_HERE,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      this.#hasResponded = true;
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      return { status: response.status, headers: response.headers, bytes, text, body: parseJson(text) };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) throw new ClientError("timeout", `${this.base} did not respond in time`, { cause: error });
      throw this.#unreachable(error);
    }
  }

  /**
   * Sends rows as NDJSON and streams the lines of the response, without a timeout. A list is sent at once: browsers
   * stream requests over HTTP/2 only.
   * @throws ClientError `unreachable` without a response, or while its lines are read; the reason of an aborted
   * `signal`
   */
  async exchange(
    path: string,
    rows: Iterable<unknown> | AsyncIterable<unknown>,
    signal?: AbortSignal,
  ): Promise<HttpStream> {
    let failure: { readonly cause: unknown } | undefined;
    // An error of the rows ends the exchange; fetch would report a lost connection.
    const body = guarded(ndjsonOf(rows), (cause) => {
      failure = { cause };
      return cause;
    });
    const explained = (error: unknown): unknown => {
      signal?.throwIfAborted();
      return failure === undefined ? this.#unreachable(error) : failure.cause;
    };
    try {
      const response = await fetch(new URL(path, this.base), {
        method: "POST",
        headers: { Accept: NDJSON, "Content-Type": NDJSON, ...this.#options.headers },
        body: Array.isArray(rows) ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : streamOf(body),
        ...AS_IT_COMES,
        ...(this.#options.credentials === undefined ? {} : { credentials: this.#options.credentials }),
        ...STAY_HERE,
        ...(signal === undefined ? {} : { signal }),
      });
      this.#hasResponded = true;
      const { status, headers } = response;
      if (status >= 300) {
        const text = await response.text();
        return {
          status,
          headers,
          bytes: new TextEncoder().encode(text),
          text,
          body: parseJson(text),
          lines: nothing(),
        };
      }
      return {
        status,
        headers,
        bytes: new Uint8Array(),
        text: "",
        body: undefined,
        lines: guarded(linesOf(response.body ?? nothing()), explained),
      };
    } catch (error) {
      throw explained(error);
    }
  }

  #unreachable(error: unknown): ClientError {
    const reason = reasonOf(error);
    const limit = this.#hasResponded ? undefined : UNKNOWN_SERVER_MILLISECONDS;
    return new ClientError("unreachable", `${this.base} cannot be reached: ${reason}`, {
      cause: error,
      retryForMilliseconds: LASTING.test(reason) ? 0 : limit,
    });
  }
}

async function* nothing(): AsyncGenerator<never, void> {}

// Browsers have no ReadableStream.from.
function streamOf<T>(items: AsyncGenerator<T, void>): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await items.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await items.return();
    },
  });
}

/** The same items, with errors replaced. */
async function* guarded<T>(items: AsyncIterable<T>, explained: (error: unknown) => unknown): AsyncGenerator<T, void> {
  try {
    yield* items;
  } catch (error) {
    throw explained(error);
  }
}

/** Whether a value has the fields of a schema. The schema transforms nothing; other fields of the value are kept. */
export function conforms<T>(schema: z.ZodType<T, T>, value: unknown): value is T {
  return schema.safeParse(value).success;
}

/**
 * Checks the body of a response. Fields that the schema does not name are kept.
 * @throws ClientError `unexpected_response`
 */
export function parseResponse<T>(schema: z.ZodType<T, T>, { status, body }: HttpResponse): T {
  if (conforms(schema, body)) return body;
  const issues = schema.safeParse(body).error?.issues ?? [];
  const details = issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const reasons = details.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw new ClientError("unexpected_response", `the response is not valid: ${reasons}`, { status, details });
}

/** The schema of a route's response. */
export interface ResultSchema<T> {
  readonly result: z.ZodType<T, T>;
}

/** Checks the body of a route's response, as {@link parseResponse}. */
export function parseResult<T>({ result }: ResultSchema<T>, response: HttpResponse): T {
  return parseResponse(result, response);
}

/** The seconds of a `Retry-After` header, which is a number or a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** Parses a text; `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The error of fetch has the reason as its cause.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
