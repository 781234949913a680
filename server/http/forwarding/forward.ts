import { pipeline } from "node:stream/promises";
import type { ErrorRequestHandler, Request, Response } from "express";
import { SealbookError } from "../../errors.ts";
import { authenticatedApiCaller } from "../access/caller.ts";
import { sourceOf } from "../access/source.ts";
import { bodyOf } from "../json-body.ts";
import { forwardedCaller, isRefusedForwardedCall } from "./accept.ts";
import { CLIENT_HEADERS } from "./forwarded-call.ts";
import { callLeader, addressOfLeader, outcomeUnknown, type Peers, type RelayerCall } from "./relayer-call.ts";

/** Headers of a connection, or of what this relayer adds itself. */
const OWN_HEADERS = ["connection", "keep-alive", "transfer-encoding", "x-request-id", "date"];

/**
 * Forwards to the leader what only the leader can do. The request has passed the checks and limits of this relayer; the
 * leader gets the same bytes, for the caller that this relayer found.
 * @param isLeader Whether this relayer led when it got the request: what it has begun may be in the journal
 */
export function forwardToLeader(peers: Peers | undefined, isLeader: boolean): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    const isOurs = error instanceof SealbookError && error.code === "not_leader" && !response.headersSent;
    if (!isOurs || isRefusedForwardedCall(request)) return next(error);
    if (isLeader) return next(outcomeUnknown(error));
    // A call is never forwarded twice.
    if (peers === undefined || forwardedCaller(request) !== undefined) return next(error);
    try {
      const body = forwardableBody(request);
      const leader = body === undefined ? undefined : await addressOfLeader(peers);
      if (body === undefined || leader === undefined) return next(error);
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      response.once("close", leave);
      const answer = await callLeader(peers, leader, callOf(request, response, body, gone.signal));
      response.off("close", leave);
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined && !OWN_HEADERS.includes(name)) response.setHeader(name, value);
      response.status(answer.statusCode ?? 502);
      // The client sees that a response ends early.
      await pipeline(answer, response).catch(() => undefined);
    } catch (failure) {
      next(failure);
    }
  };
}

/** Returns the body of a request, or the request itself when nothing of it was read; `undefined` after a part of it. */
function forwardableBody(request: Request): RelayerCall["body"] | undefined {
  const whole = bodyOf(request);
  if (whole !== undefined) return whole;
  const { "transfer-encoding": coding, "content-length": length } = request.headers;
  if (coding === undefined && Number(length ?? 0) === 0) return Buffer.of();
  return request.readableDidRead ? undefined : request;
}

function callOf(request: Request, response: Response, body: RelayerCall["body"], signal: AbortSignal): RelayerCall {
  const { key: source, isProxy, isSecure } = sourceOf(request);
  const headers = Object.fromEntries(
    CLIENT_HEADERS.flatMap((name) => {
      // A body that this relayer has read is not compressed any more.
      if (name === "content-encoding" && body instanceof Uint8Array) return [];
      const value = request.headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
  return {
    method: request.method,
    url: request.originalUrl,
    headers,
    caller: { source, isProxy, isSecure, api: authenticatedApiCaller(request) },
    body,
    requestId: String(response.getHeader("x-request-id") ?? ""),
    signal,
  };
}
