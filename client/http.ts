import type { z } from "zod";
import { ClientError } from "./errors.ts";

/** How a client talks to its server. */
export interface HttpOptions {
  /** Sent with every request, for instance an API key. */
  readonly headers?: Readonly<Record<string, string>>;
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
  /** The body as it came. */
  readonly text: string;
  /** The body's JSON; `undefined` when it is something else. */
  readonly body: unknown;
}

const TIMEOUT_MILLISECONDS = 90_000;

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
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parseJson(text) };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout.aborted) throw new ClientError("timeout", `${this.base} did not answer in time`, { cause: error });
      throw new ClientError("unreachable", `${this.base} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
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

function parseJson(text: string): unknown {
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
