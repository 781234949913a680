/** Every way a request or an operation can fail, as callers distinguish failures. */
export type ErrorCode =
  | "malformed"
  | "too_large"
  | "too_expensive"
  | "uri_too_long"
  | "misdirected"
  | "login_refused"
  | "token_invalid"
  | "token_expired"
  | "extend_refused"
  | "scope_refused"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "not_acceptable"
  | "conflict"
  | "key_reused"
  | "too_many_requests"
  | "overloaded"
  | "journal_unavailable"
  | "not_leader"
  | "outcome_unknown"
  | "storage_full"
  | "journal_damaged"
  | "chain_unavailable"
  | "chain_reverted"
  | "config_invalid"
  | "directory_unusable"
  | "port_in_use"
  | "chain_in_use"
  | "chain_id_differs"
  | "block_log_damaged"
  | "block_log_differs"
  | "anvil_missing"
  | "internal";

/** One fault in the input. */
export interface ErrorDetail {
  /** Where the fault is: field names joined with dots, as the caller wrote them. */
  readonly path: string;
  /** The fault at this place. */
  readonly message: string;
}

/** Further properties of an error. */
export interface SealbookErrorOptions {
  /** The caught error that this one replaces. */
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[];
  /** Seconds after which trying again can succeed. */
  readonly retryAfterSeconds?: number;
}

/**
 * The one error class. The message is fit to be shown to the caller unless the code is `internal`; what a
 * protocol makes of a code (a status, an exit code) is decided where that protocol is spoken.
 */
export class SealbookError extends Error {
  readonly code: ErrorCode;
  // Declared only: an error without them has no such properties.
  declare readonly details?: readonly ErrorDetail[];
  declare readonly retryAfterSeconds?: number;

  constructor(code: ErrorCode, message: string, options: SealbookErrorOptions = {}) {
    super(message, options.cause !== undefined ? { cause: options.cause } : undefined);
    this.name = "SealbookError";
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * The error for input that breaks a rule, with the fault's place.
 *
 * @param path Field names joined with dots; the message starts with it
 * @param message What is wrong there
 */
export function malformed(path: string, message: string, cause?: unknown): SealbookError {
  return new SealbookError("malformed", `${path}: ${message}`, {
    details: [{ path, message }],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
