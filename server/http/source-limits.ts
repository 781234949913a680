import type { Request, RequestHandler, Response } from "express";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SealbookError } from "../errors.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { sourceOf } from "./access/source.ts";

/** Time over which the requests of a source are counted: they come in bursts. */
const WINDOW_SECONDS = 10;
/** Bytes of a body and a response that cost as much as a small request: about a quarter of a millisecond. */
const BYTES_PER_REQUEST = 16 * 1024;
/** Delay of a refusal: a client that repeats its requests at once would cost as much as before. */
const REFUSAL_MILLISECONDS = 1_000;

/** Large bodies that are received or processed at a time: of all sources, and of one. */
const LARGE_BODIES = 64;
const LARGE_BODIES_PER_SOURCE = 4;
/** Heavy requests of all sources that run at a time. */
const HEAVY_AT_ONCE = 64;
/** Heavy requests of a source that run or wait. */
const HEAVY_UNFINISHED = 512;
const RETRY_SECONDS = 1;

/**
 * Limits the requests of each source, charged with their bytes. A request with a body or a response of n times 16 KiB
 * counts 1 + n times. A trusted proxy has no limit: its requests are those of many sources.
 * @param perSecond Small requests a second, counted over ten seconds
 * @throws SealbookError `too_many_requests`
 */
export function requestRate(perSecond: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points: perSecond * WINDOW_SECONDS, duration: WINDOW_SECONDS });
  return (request, response, next) => {
    const { key, isProxy } = sourceOf(request);
    if (isProxy) return next();
    const { socket } = request;
    const before = socket.bytesRead + socket.bytesWritten;
    response.once("close", () => {
      const more = Math.floor((socket.bytesRead + socket.bytesWritten - before) / BYTES_PER_REQUEST);
      if (more > 0) void limiter.penalty(key, more);
    });
    limiter.consume(key).then(
      () => next(),
      (refusal: unknown) => setTimeout(() => next(tooMany(refusal, perSecond)), REFUSAL_MILLISECONDS).unref(),
    );
  };
}

function tooMany(refusal: unknown, perSecond: number): unknown {
  if (!(refusal instanceof RateLimiterRes)) return refusal;
  return new SealbookError(
    "too_many_requests",
    `too many requests from this network address; at most ${perSecond} a second, fewer large ones`,
    { retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) },
  );
}

// Process-wide, like the memory that they limit.
const largeBodies = new Map<string, number>();
let allLargeBodies = 0;

/**
 * Admits few large bodies at a time, until their responses are sent. Each takes some ten megabytes.
 * @throws SealbookError `too_many_requests`, `overloaded`
 */
export const largeBody: RequestHandler = (request, response, next) => {
  const { key, isProxy } = sourceOf(request);
  const count = largeBodies.get(key) ?? 0;
  if (!isProxy && count >= LARGE_BODIES_PER_SOURCE)
    throw new SealbookError("too_many_requests", `more than ${LARGE_BODIES_PER_SOURCE} large bodies at a time`, {
      retryAfterSeconds: RETRY_SECONDS,
    });
  if (allLargeBodies >= LARGE_BODIES)
    throw new SealbookError("overloaded", "too many large bodies are being received; send fewer at a time");
  largeBodies.set(key, count + 1);
  allLargeBodies += 1;
  response.once("close", () => {
    allLargeBodies -= 1;
    const left = (largeBodies.get(key) ?? 1) - 1;
    if (left === 0) largeBodies.delete(key);
    else largeBodies.set(key, left);
  });
  next();
};

type Handler<Parameters> = (request: Request<Parameters>, response: Response) => Promise<void>;

/** Wraps the handler of a heavy request. */
export type HeavyRequest = <Parameters = Request["params"]>(handle: Handler<Parameters>) => Handler<Parameters>;

/**
 * Limits requests whose responses take milliseconds of the thread, or are streams: few of a source run at a time, the
 * others of this source wait. A request ends when its response is written, or its client has gone.
 * @param perSource Maximum that run at a time for one source
 * @throws SealbookError `too_many_requests` when too many wait
 */
export function heavyRequests(perSource: number): HeavyRequest {
  const bounds = { jobs: "requests that take long", perKey: HEAVY_UNFINISHED };
  const queue = new KeyedQueue<string | object>(HEAVY_AT_ONCE, perSource, bounds);
  return (handle) => (request, response) => {
    const source = sourceOf(request);
    return queue.run(source.isProxy ? request : source.key, async () => {
      if (response.destroyed) return;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      response.once("finish", end).once("close", end);
      await handle(request, response);
      await ended;
    });
  };
}
