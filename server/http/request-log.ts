import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { authenticatedCaller } from "./access/caller.ts";

const HEADER = "X-Request-Id";
/** The key of the failure in `response.locals`. */
const FAILURE = "failure";
/** W3C Trace Context: version, trace id, span id of the caller, flags. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const WELL_FORMED = /^[\w.-]{1,64}$/;

/** Records the duration of a request. */
export type ObserveRequest = (labels: { method: string; route: string; status: string }, seconds: number) => void;

/**
 * Assigns an id to every request, returns it as a header, and measures and logs the finished request with its
 * authenticated caller: `account`, `api_key` (its id) or `token` (its subject). Does not log paths, headers and bodies:
 * they contain document ids, tokens and passwords.
 */
export function logRequests(logger: Logger, observe: ObserveRequest): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const given = request.headers["x-request-id"];
    const id = typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID();
    response.setHeader(HEADER, id);
    response.on("finish", () => {
      const milliseconds = performance.now() - start;
      const { statusCode: status } = response;
      observe({ method: request.method, route: routePattern(request), status: String(status) }, milliseconds / 1000);
      const failure: unknown = response.locals[FAILURE];
      if (failure instanceof Error)
        logger.error({ request_id: id, ...traceOf(request), err: failure }, "a request failed");
      const level = status >= 500 ? "warn" : "debug";
      if (logger.isLevelEnabled(level))
        logger[level](fieldsOf(id, request, response, milliseconds), "request completed");
    });
    next();
  };
}

/** Stores an internal error, which is logged with the request's id. */
export function noteFailure(response: Response, error: Error): void {
  response.locals[FAILURE] = error;
}

function fieldsOf(id: string, request: Request, { statusCode: status }: Response, milliseconds: number): object {
  const caller = authenticatedCaller(request);
  return {
    request_id: id,
    ...traceOf(request),
    ...(caller && { [caller.kind]: caller.id }),
    method: request.method,
    route: routePattern(request),
    status,
    milliseconds: Math.round(milliseconds),
  };
}

/** Returns the caller's trace, by which a tracing system joins the logs of several programs. */
function traceOf({ headers: { traceparent } }: Request): object {
  const [, version, trace, span, more] = typeof traceparent === "string" ? (TRACE_PARENT.exec(traceparent) ?? []) : [];
  // Only later versions may have more fields.
  return trace === undefined || (version === "00" && more !== undefined)
    ? {}
    : { trace_id: trace, parent_span_id: span };
}

/**
 * Returns the pattern of a request's route. Paths contain ids and document ids, which are not logged, and every new
 * path would be a new time series.
 */
function routePattern(request: Request): string {
  const route: unknown = request.route?.path;
  return typeof route === "string" ? `${request.baseUrl}${route}` : "unmatched";
}
