import type { Response } from "express";
import { z } from "zod";
import { type ErrorCode, type ErrorDetail, SealbookError } from "../errors.ts";

/** The HTTP status of each kind of failure. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  malformed: 400,
  too_large: 413,
  uri_too_long: 414,
  login_refused: 401,
  token_invalid: 401,
  token_expired: 401,
  token_mismatch: 401,
  extend_refused: 409,
  scope_refused: 403,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  not_acceptable: 406,
  conflict: 409,
  too_many_requests: 429,
  overloaded: 503,
  journal_unavailable: 503,
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

/** After how many seconds it is worth trying again what cannot be done now, where the failure itself does not know. */
const RETRY_SECONDS = 5;

/** Says when trying again can succeed, of every failure that goes by. */
export function setRetryAfter(response: Response, { code, retryAfterSeconds }: SealbookError): void {
  const seconds = retryAfterSeconds ?? (STATUS[code] === 503 ? RETRY_SECONDS : undefined);
  if (seconds !== undefined) response.set("Retry-After", String(seconds));
}

/** What Express and its body parser throw, as far as it is the caller's doing. */
const HttpError = z.object({
  status: z.number().int().min(400).max(499),
  type: z.string().optional(),
  message: z.string(),
});

/** Whatever was thrown while a request was answered, as the one kind of error. */
export function toSealbookError(error: unknown): SealbookError {
  if (error instanceof SealbookError) return error;
  const http = HttpError.safeParse(error);
  if (!http.success) return new SealbookError("internal", "something went wrong here", { cause: error });
  const { status, type, message } = http.data;
  if (status === 413) return new SealbookError("too_large", "the request body is too large", { cause: error });
  if (status === 415) return new SealbookError("unsupported_media_type", message, { cause: error });
  if (type === "entity.parse.failed") return new SealbookError("malformed", "the body is not JSON", { cause: error });
  return new SealbookError("malformed", message, { cause: error });
}

/**
 * Parses input once, at the edge.
 * @param root What the input is called when the whole of it is wrong
 * @throws SealbookError `malformed` that names every field in fault and why
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown, root = "body"): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  // One fault is enough for a field: what is of the wrong type breaks other rules as well.
  const details = new Map<string, ErrorDetail>();
  for (const issue of parsed.error.issues) {
    const path = issue.path.join(".") || root;
    if (!details.has(path)) details.set(path, { path, message: reasonOf(issue) });
  }
  const reasons = [...details.values()].map(({ path, message }) => `${path}: ${message}`);
  throw new SealbookError("malformed", reasons.join("; "), { details: [...details.values()] });
}

/** What the schema library calls otherwise than people who write JSON. */
const KINDS: Readonly<Partial<Record<string, string>>> = { record: "object", int: "whole number" };

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_type") return issue.message;
  if (issue.input === undefined) return "is missing";
  const kind = KINDS[issue.expected] ?? issue.expected;
  return `is not ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}
