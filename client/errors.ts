import { z } from "zod";

/** One fault in what was sent. */
const Fault = z.object({ path: z.string(), message: z.string() });

/** A failure as RFC 9457 puts it. */
export const Problem = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  status: z.number().optional(),
  detail: z.string().optional(),
  errors: z.array(Fault).optional(),
});
export type Problem = z.output<typeof Problem>;
export type Fault = z.output<typeof Fault>;

/** What the client itself can fail with; every other code is the server's own. */
export type ClientErrorCode = "unreachable" | "timeout" | "unexpected_answer";

/** What an error can carry besides its code and message. */
export interface ClientErrorOptions {
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly details?: readonly Fault[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A call that did not succeed. */
export class ClientError extends Error {
  /** A {@link ClientErrorCode}, or the server's code for the failure. */
  readonly code: string;
  /** HTTP status of the answer; `undefined` when there was none. */
  readonly status: number | undefined;
  /** The answer's problem details, when it had any. */
  readonly problem: Problem | undefined;
  /** Every fault in what was sent. */
  readonly details: readonly Fault[];
  /** Seconds after which trying again can succeed, as the server says. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ClientError";
    this.code = code;
    this.status = options.status;
    this.problem = options.problem;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether the same call can succeed a moment later. Says nothing about whether making it again is safe. */
export function isTransient(error: unknown): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  if (error.status !== undefined) return [429, 502, 503, 504].includes(error.status);
  return error.code === "unreachable" || error.code === "timeout";
}
