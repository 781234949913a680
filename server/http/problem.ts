import type { ErrorRequestHandler } from "express";
import type { ErrorCode, SealbookError } from "../errors.ts";
import { noteFailure } from "./request-log.ts";
import { setRetryAfter, STATUS, toSealbookError } from "./errors.ts";

const TITLES: Partial<Readonly<Record<ErrorCode, string>>> = {
  malformed: "The request is not valid",
  too_large: "The request is too large",
  uri_too_long: "The address is too long",
  misdirected: "Another host",
  unauthorized: "Authentication is needed",
  forbidden: "Not allowed",
  not_found: "Not found",
  method_not_allowed: "Method not allowed",
  unsupported_media_type: "Unsupported media type",
  not_acceptable: "Not acceptable",
  conflict: "Not as things stand",
  key_reused: "The idempotency key was used for another request",
  too_many_requests: "Too many requests",
  overloaded: "Server overloaded",
  journal_unavailable: "The journal is not available",
  not_leader: "This relayer does not lead",
  outcome_unknown: "The outcome is not known",
  storage_full: "The disk is almost full",
  journal_damaged: "The journal was changed",
  chain_unavailable: "The chain is not reachable",
};

/** Begin of the types of problems. */
export const PROBLEM_PREFIX = "urn:sealbook:problem:";
/** Media type of problem details. */
export const PROBLEM_TYPE = "application/problem+json";

/** Converts an error to problem details by RFC 9457. */
export function problemOf(error: SealbookError): { readonly status: number; readonly body: object } {
  const status = STATUS[error.code];
  return {
    status,
    body: {
      type: `${PROBLEM_PREFIX}${error.code}`,
      title: TITLES[error.code] ?? "The request failed",
      status,
      detail: error.message,
      ...(error.details === undefined ? {} : { errors: error.details }),
    },
  };
}

/** Sends an error as problem details by RFC 9457. */
export const sendProblem: ErrorRequestHandler = (thrown: unknown, _request, response, next) => {
  if (response.headersSent) return next(thrown);
  const error = toSealbookError(thrown);
  if (error.code === "internal") noteFailure(response, error);
  setRetryAfter(response, error);
  const { status, body } = problemOf(error);
  response.status(status).type(PROBLEM_TYPE).send(JSON.stringify(body));
};
