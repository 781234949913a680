import type { z } from "zod";
import { ClientError } from "./errors.ts";
import { linesOf, ndjsonOf } from "./ndjson.ts";

/** How a client talks to its server. */
export interface HttpOptions {
  /** Sent with every request, for instance an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a browser sends and keeps cookies; other programs never do. */
  readonly credentials?: "omit" | "same-origin";
  /** How long one request may take; the default suits a server that waits 30 s for a confirmation. */
  readonly timeoutMilliseconds?: number;
}

/** One request. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Below the server's address, without a leading slash; or a whole address. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** One answer, of whatever status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came, and as text. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body's JSON; `undefined` when it is something else. */
  readonly body: unknown;
}

/** One answer whose lines are read as they come; of one that is no success there is the whole body instead. */
export interface HttpStream extends HttpAnswer {
  /** The texts of its lines. */
  readonly lines: AsyncIterable<string>;
}

const TIMEOUT_MILLISECONDS = 90_000;
/** Lets a request's body be sent while its answer is read; the types of browsers do not know it. */
const AS_IT_COMES = { duplex: "half" } as const;
/** The API redirects nobody. Whoever does must not be given what was meant for the server: fetch would send keys on. */
const STAY_HERE = { redirect: "error" } as const;
const NDJSON = "application/x-ndjson";

/** Sends requests to one server. */
export class Http {
  /** The server's address, with a slash at the end. */
  readonly base: string;
  readonly #options: HttpOptions;

  constructor(url: string, options: HttpOptions = {}) {
    this.base = url.endsWith("/") ? url : `${url}/`;
    this.#options = options;
  }

  /**
   * @throws ClientError `unreachable` or `timeout` when no whole answer came; what `signal` was aborted with
   */
  async send({ method, path, body, headers, signal }: HttpRequest): Promise<HttpAnswer> {
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
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      return { status: response.status, headers: response.headers, bytes, text, body: parseJson(text) };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) throw new ClientError("timeout", `${this.base} did not answer in time`, { cause: error });
      throw this.#unreachable(error);
    }
  }

  /**
   * Sends rows, one per line, while the lines of the response arrive. Backpressure applies; there is no time limit.
   * @throws ClientError `unreachable` when no answer came, or while its lines are read; what `signal` was aborted with
   */
  async exchange(
    path: string,
    rows: Iterable<unknown> | AsyncIterable<unknown>,
    signal?: AbortSignal,
  ): Promise<HttpStream> {
    let failure: { readonly cause: unknown } | undefined;
    // What ends the rows ends the exchange; fetch itself would call it a lost connection.
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
        body: streamOf(body),
        ...AS_IT_COMES,
        ...STAY_HERE,
        ...(signal === undefined ? {} : { signal }),
      });
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
    return new ClientError("unreachable", `${this.base} cannot be reached: ${reasonOf(error)}`, { cause: error });
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

/** The same items; what ends them before their time is put in other words. */
async function* guarded<T>(items: AsyncIterable<T>, explained: (error: unknown) => unknown): AsyncGenerator<T, void> {
  try {
    yield* items;
  } catch (error) {
    throw explained(error);
  }
}

/**
 * Checks what was answered.
 * @throws ClientError `unexpected_answer`
 */
export function parseAnswer<Schema extends z.ZodType>(schema: Schema, { status, body }: HttpAnswer): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const reasons = details.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  throw new ClientError("unexpected_answer", `the answer is not what was expected: ${reasons}`, { status, details });
}

/** Seconds that a `Retry-After` header asks for, written as a number or as a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** A JSON text; `undefined` when it is something else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// What fetch throws says only that it failed; the reason is its cause.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
