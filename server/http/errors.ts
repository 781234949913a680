import type { Response } from "express";
import * as z from "zod";
import { type ErrorCode, type ErrorDetail, malformed, SealbookError } from "../errors.ts";

/** The HTTP status of each error code. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed: 400,
  too_large: 413,
  too_expensive: 400,
  uri_too_long: 414,
  misdirected: 421,
  login_refused: 401,
  token_invalid: 401,
  token_expired: 401,
  extend_refused: 409,
  scope_refused: 403,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  not_acceptable: 406,
  conflict: 409,
  key_reused: 422,
  too_many_requests: 429,
  overloaded: 503,
  journal_unavailable: 503,
  not_leader: 503,
  outcome_unknown: 503,
  storage_full: 503,
  journal_damaged: 500,
  chain_unavailable: 503,
  chain_reverted: 409,
  config_invalid: 500,
  directory_unusable: 500,
  port_in_use: 500,
  chain_in_use: 500,
  chain_id_differs: 500,
  block_log_damaged: 500,
  block_log_differs: 500,
  anvil_missing: 500,
  internal: 500,
};

/** `Retry-After` of a 503 whose error has no other value. */
export const RETRY_SECONDS = 5;

/** Sets `Retry-After` for transient errors. */
export function setRetryAfter(response: Response, { code, retryAfterSeconds }: SealbookError): void {
  const seconds = retryAfterSeconds ?? (STATUS[code] === 503 ? RETRY_SECONDS : undefined);
  if (seconds !== undefined) response.set("Retry-After", String(seconds));
}

/** A client error thrown by Express or its body parser. */
const HttpError = z.object({
  status: z.number().int().min(400).max(499),
  type: z.string().optional(),
  code: z.string().optional(),
  message: z.string(),
});

/** Codes of errors of gzip, deflate, Brotli and Zstandard. */
const UNPACKING = /^(Z_|ERR__ERROR_|ZSTD_)/;

/** Converts any thrown value to a SealbookError. */
export function toSealbookError(error: unknown): SealbookError {
  if (error instanceof SealbookError) return error;
  const http = HttpError.safeParse(error);
  if (!http.success) return new SealbookError("internal", "something went wrong here", { cause: error });
  const { status, type, code = "", message } = http.data;
  if (status === 413) return new SealbookError("too_large", "the request body is too large", { cause: error });
  if (status === 415) return new SealbookError("unsupported_media_type", message, { cause: error });
  if (type === "entity.parse.failed") return new SealbookError("malformed", "the body is not JSON", { cause: error });
  // Their own words name neither the header nor the address.
  const text = UNPACKING.test(code)
    ? "the body is not compressed as Content-Encoding says"
    : error instanceof URIError
      ? "a part of the address is not percent-encoded UTF-8"
      : message;
  return new SealbookError("malformed", text, { cause: error });
}

/** Maximum number of invalid fields in an error; the others are not reported. */
const MAX_DETAILS = 1_000;

/**
 * Parses input once, at the edge.
 * @param root The path of the input as a whole in errors
 * @throws SealbookError `malformed` with the invalid fields and their reasons
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, root = "body"): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  // One error per field: a value of the wrong type breaks other rules as well.
  const details = new Map<string, ErrorDetail>();
  for (const issue of parsed.error.issues) {
    const path = issue.path.join(".") || root;
    if (details.size === MAX_DETAILS) break;
    if (!details.has(path)) details.set(path, { path, message: reasonOf(issue) });
  }
  const reasons = [...details.values()].map(({ path, message }) => `${path}: ${message}`);
  throw new SealbookError("malformed", reasons.join("; "), { details: [...details.values()] });
}

/** The most entries of a list in a body, and what to do with more. */
export interface ListLimit {
  readonly name: string;
  readonly most: number;
  readonly advice?: string;
}

/**
 * Checks the length of a list before its items: a schema would report each faulty one.
 * @throws SealbookError `malformed`
 */
export function limitList(body: unknown, { name, most, advice }: ListLimit): void {
  const list: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (!Array.isArray(list) || list.length <= most) return;
  throw malformed(name, `has more than ${most} ${name}${advice === undefined ? "" : `; ${advice}`}`);
}

/** JSON names of zod types. */
const KINDS: Readonly<Partial<Record<string, string>>> = { record: "object", int: "whole number" };

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  if (issue.code !== "invalid_type") return issue.message;
  const kind = KINDS[issue.expected] ?? issue.expected;
  return `is not ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}
