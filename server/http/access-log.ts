import { randomUUID } from "node:crypto";
import type { RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { authenticatedCaller } from "./access/caller.ts";
import { routePattern } from "./request-metrics.ts";

const HEADER = "X-Request-Id";
/** The key of the failure in `response.locals`. */
const FAILURE = "failure";
const WELL_FORMED = /^[\w.-]{1,64}$/;

/**
 * Assigns an id to every request, returns it as a header, and logs the finished request with its authenticated caller:
 * `account`, `api_key` (its id) or `token` (its subject). Does not log paths, headers and bodies: they contain document
 * ids, tokens and passwords.
 */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const given = request.get(HEADER);
    response.set(HEADER, given !== undefined && WELL_FORMED.test(given) ? given : randomUUID());
    const start = performance.now();
    response.on("finish", () => {
      const { statusCode: status } = response;
      const request_id = response.get(HEADER);
      const failure: unknown = response.locals[FAILURE];
      if (failure instanceof Error) logger.error({ request_id, err: failure }, "a request failed");
      const level = status >= 500 ? "warn" : "debug";
      if (!logger.isLevelEnabled(level)) return;
      const milliseconds = Math.round(performance.now() - start);
      const caller = authenticatedCaller(request);
      logger[level](
        {
          request_id,
          ...(caller && { [caller.kind]: caller.id }),
          method: request.method,
          route: routePattern(request),
          status,
          milliseconds,
        },
        "request completed",
      );
    });
    next();
  };
}

/** Stores an internal error, which is logged with the request's id. */
export function noteFailure(response: Response, error: Error): void {
  response.locals[FAILURE] = error;
}
