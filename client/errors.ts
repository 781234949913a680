import * as z from "zod";
import { Problem as ServerProblem } from "../server/http/responses.ts";

/**
 * Problem details by RFC 9457: of the server, or of a proxy in front of it, which may use other types and fewer fields.
 */
export const Problem = ServerProblem.partial().extend({ type: z.string() });
export type Problem = z.output<typeof Problem>;
/** One invalid field of a request. */
export type Fault = NonNullable<Problem["errors"]>[number];

/** The errors of the client itself; every other code comes from the server. */
export type ClientErrorCode = "unreachable" | "timeout" | "unexpected_response";

/** The optional fields of an error. */
export interface ClientErrorOptions {
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly details?: readonly Fault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly retryForMilliseconds?: number | undefined;
  readonly cause?: unknown;
}

/** A failed call. */
export class ClientError extends Error {
  /** A {@link ClientErrorCode}, or the server's code for the failure. */
  readonly code: string;
  /** HTTP status of the response; `undefined` without a response. */
  readonly status: number | undefined;
  /** The problem details of the response, if any. */
  readonly problem: Problem | undefined;
  /** Every invalid field of the request. */
  readonly details: readonly Fault[];
  /** Seconds until a retry can succeed, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** For how long a retry can succeed; 0 for a reason that stays. `undefined` when nobody knows. */
  readonly retryForMilliseconds: number | undefined;

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ClientError";
    this.code = code;
    this.status = options.status;
    this.problem = options.problem;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.retryForMilliseconds = options.retryForMilliseconds;
  }
}

/** Whether a repetition of the call can succeed. It does not mean that the repetition is safe. */
export function isTransient(error: unknown): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  if (error.status !== undefined) return [429, 502, 503, 504].includes(error.status);
  return error.code === "unreachable" || error.code === "timeout";
}
