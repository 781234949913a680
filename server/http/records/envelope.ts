import type { ErrorRequestHandler, Response } from "express";
import { SealbookError } from "../../errors.ts";
import { STATUS, toSealbookError } from "../errors.ts";

/** Seconds as the envelope writes them. */
export function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(6);
}

/** What a request is answered about: kept on the response, so that a failure at any place can name it. */
interface CallLocals {
  route?: string;
  start?: number;
}

/** The call that a response answers. */
export function callOf(response: Response<unknown, CallLocals>): CallLocals {
  return response.locals;
}

/** Answers a call that succeeded. */
export function sendSuccess(response: Response, content: object): void {
  const { route = "", start = performance.now() } = callOf(response);
  response.json({ content, msg: `${route} fetch is successful`, render: secondsSince(start), status: 1 });
}

/** Answers a call that failed: the same envelope with status 0 and the reason. */
export const sendFailure: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  if (response.headersSent) return next(thrown);
  const error = inThisApi(toSealbookError(thrown));
  if (error.code === "internal") request.log.error({ err: error }, "a call failed");
  const { route = "/api", start = performance.now() } = callOf(response);
  if (error.retryAfterSeconds !== undefined) response.set("Retry-After", String(error.retryAfterSeconds));
  response.status(STATUS[error.code]).json({
    content: {
      error: {
        code: error.code,
        message: error.message,
        ...(error.details === undefined ? {} : { details: error.details }),
      },
    },
    msg: `${route} fetch is failed: ${error.message}`,
    render: secondsSince(start),
    status: 0,
  });
};

/** This API knows no media types other than JSON: anything else is a malformed call. */
function inThisApi(error: SealbookError): SealbookError {
  return error.code === "unsupported_media_type" ? new SealbookError("malformed", error.message, { cause: error }) : error;
}
