import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { routePattern } from "./route-pattern.ts";

const HEADER = "X-Request-Id";
const WELL_FORMED = /^[\w.-]{1,64}$/;

/** The logger of a request: its lines carry the request's id. */
const loggers = new WeakMap<object, Logger>();

/**
 * Gives every request an id that also travels in the answer, and logs it when it is answered. Paths, headers and
 * bodies are left out: they carry documents' names, tokens and passwords.
 */
export function accessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const given = request.get(HEADER);
    const id = given !== undefined && WELL_FORMED.test(given) ? given : randomUUID();
    response.set(HEADER, id);
    const own = logger.child({ request_id: id });
    loggers.set(request, own);
    const start = performance.now();
    response.on("finish", () => {
      const { statusCode: status } = response;
      const milliseconds = Math.round(performance.now() - start);
      const line = { method: request.method, route: routePattern(request), status, milliseconds };
      own[status >= 500 ? "warn" : "debug"](line, "request answered");
    });
    next();
  };
}

/** Logs what went wrong in a request, with its id. */
export function logFailure(request: object, error: Error, message: string): void {
  loggers.get(request)?.error({ err: error }, message);
}
