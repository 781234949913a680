import { pipeline, type Readable, type Transform } from "node:stream";
import type { Request, RequestHandler } from "express";
import { SealbookError } from "../../errors.ts";
import { FRAMES } from "./body-frames.ts";
import { CALL_HEADER, digestOf, type ForwardedCaller, type ForwardedCalls } from "./forwarded-call.ts";

/** By request. */
const forwarded = new WeakMap<
  Request,
  {
    readonly caller: ForwardedCaller;
    readonly body: string;
    /** Whether it is for the leadership that this relayer has. */
    readonly isCurrent: boolean;
    readonly frames: () => Transform;
  }
>();

/** Returns who makes a request that another relayer forwarded; `undefined` for one of a client. */
export function forwardedCaller(request: Request): ForwardedCaller | undefined {
  return forwarded.get(request)?.caller;
}

/** Whether a request is a forwarded call that was refused before anything of it began. */
export function isRefusedForwardedCall(request: Request): boolean {
  return forwarded.get(request)?.isCurrent === false;
}

/**
 * Accepts calls that other relayers forward, for the callers that they name.
 * @throws SealbookError `forbidden` for a call that says so and is not proven; `not_leader` for one of another
 * leadership
 */
export function acceptForwarded(calls: ForwardedCalls | undefined): RequestHandler {
  return (request, _response, next) => {
    if (request.headers[CALL_HEADER] === undefined) return next();
    const { method, originalUrl: url, headers } = request;
    const call = calls?.check({ method, url, headers });
    if (calls === undefined || call === undefined)
      throw new SealbookError("forbidden", "the call is not one that another relayer of this journal forwards now");
    const isCurrent = calls.isCurrent(call);
    forwarded.set(request, { ...call, isCurrent, frames: () => calls.frames(call) });
    if (isCurrent) return next();
    const message = "the call is for a relayer that leads, and this one does not, or has begun again";
    next(new SealbookError("not_leader", message, { retryAfterSeconds: 1 }));
  };
}

/**
 * Hides a path from everybody but other relayers.
 * @throws SealbookError `not_found`
 */
export const fromRelayer: RequestHandler = (request, _response, next) => {
  if (forwarded.has(request)) next();
  else next(new SealbookError("not_found", "there is nothing at this path"));
};

/**
 * Checks the body of a forwarded call.
 * @throws SealbookError `forbidden` when it is another one
 */
export function assertForwardedBody(request: Request, body: Uint8Array): void {
  const call = forwarded.get(request);
  if (call !== undefined && call.body !== digestOf(body))
    throw new SealbookError("forbidden", "the body is not the one that another relayer forwards");
}

/**
 * Returns the body of a request that is read as it arrives; that of a forwarded call fails at a byte that the other
 * relayer has not sent.
 * @throws SealbookError `forbidden` when it is another one
 */
export function streamedBody(request: Request): Readable {
  const call = forwarded.get(request);
  if (call === undefined) return request;
  if (call.body !== FRAMES)
    throw new SealbookError("forbidden", "the body is not the one that another relayer forwards");
  return pipeline(request, call.frames(), () => undefined);
}
