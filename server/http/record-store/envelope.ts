import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { sendJson } from "../json-response.ts";
import { noteFailure } from "../request-log.ts";
import { setRetryAfter, STATUS, toSealbookError } from "../errors.ts";
import * as z from "zod";

/** The route of a call, which its error response names. */
export const NamedRoute = z.object({ route: z.string() });

/** The key of the start time in `response.locals`. */
const START = "start";

/** Returns the elapsed seconds in the format of the envelope. */
export function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(6);
}

/** Starts the measurement of `render`. */
export const startClock: RequestHandler = (_request, response, next) => {
  response.locals[START] = performance.now();
  next();
};

function timeTaken(response: Response): string {
  const start: unknown = response.locals[START];
  return secondsSince(typeof start === "number" ? start : performance.now());
}

/** Returns the route of a call, even of an otherwise invalid one. */
export function routeOf(request: Request): string | undefined {
  return NamedRoute.safeParse(request.body).data?.route;
}

/** Sends the envelope of a successful call. */
export function sendSuccess(response: Response, route: string, content: object): void {
  sendJson(response, { content, msg: `${route} fetch is successful`, render: timeTaken(response), status: 1 });
}

/** Sends the envelope of a failed call: status 0 and the reason. */
export const sendFailure: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  if (response.headersSent) return next(thrown);
  const error = toSealbookError(thrown);
  if (error.code === "internal") noteFailure(response, error);
  const route = routeOf(request) ?? "/api";
  setRetryAfter(response, error);
  response.status(STATUS[error.code]);
  sendJson(response, {
    content: {
      error: {
        code: error.code,
        message: error.message,
        ...(error.details === undefined ? {} : { details: error.details }),
      },
    },
    msg: `${route} fetch is failed: ${error.message}`,
    render: timeTaken(response),
    status: 0,
  });
};
