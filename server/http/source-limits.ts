import type { RequestHandler } from "express";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { sourceOf } from "./access/source.ts";
import { forwardedCaller } from "./forwarding/accept.ts";
import { noteRate, type RatePolicy, tooMany } from "./rate-limit.ts";

/** Time over which the requests of a source are counted: they come in bursts. */
const WINDOW_SECONDS = 10;
/** Bytes of a body and a response that cost as much as a small request: about a quarter of a millisecond. */
const BYTES_PER_REQUEST = 16 * 1024;
/** Delay of a refusal: a client that repeats its requests at once would cost as much as before. */
const REFUSAL_MILLISECONDS = 1_000;

/** Heavy requests of all sources that run at a time. */
const HEAVY_AT_ONCE = 64;
/** Heavy requests of a source that run or wait: as many as it may have connections. */
const HEAVY_UNFINISHED = 2_048;

/**
 * Limits the requests of each source, charged with their bytes. A request with a body or a response of n times 16 KiB
 * counts 1 + n times. A trusted proxy has no limit: its requests are those of many sources.
 * @param perSecond Small requests a second, counted over ten seconds
 * @throws SealbookError `too_many_requests`
 */
export function requestRate(perSecond: number): RequestHandler {
  const policy: RatePolicy = { name: "requests", quota: perSecond * WINDOW_SECONDS, windowSeconds: WINDOW_SECONDS };
  const limiter = new RateLimiterMemory({ points: policy.quota, duration: WINDOW_SECONDS });
  const message = `too many requests from this network address; at most ${perSecond} a second, fewer large ones`;
  return (request, response, next) => {
    const { key, isProxy } = sourceOf(request);
    if (isProxy || forwardedCaller(request) !== undefined) return next();
    const { socket } = request;
    const before = socket.bytesRead + socket.bytesWritten;
    response.once("close", () => {
      const more = Math.floor((socket.bytesRead + socket.bytesWritten - before) / BYTES_PER_REQUEST);
      if (more > 0) void limiter.penalty(key, more);
    });
    limiter.consume(key).then(
      (state) => {
        noteRate(response, policy, state);
        next();
      },
      (refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) noteRate(response, policy, refusal);
        setTimeout(() => next(tooMany(refusal, message)), REFUSAL_MILLISECONDS).unref();
      },
    );
  };
}

/**
 * Limits requests that take milliseconds of the thread or megabytes, or are streams: few of a source run at a time, the
 * others of this source wait before their body is read. A request ends when its response is written, or its client has
 * gone.
 * @param perSource Maximum that run at a time for one source
 * @throws SealbookError `too_many_requests` when too many wait
 */
export function heavyRequests(perSource: number): RequestHandler {
  const bounds = { jobs: "requests that take long", perKey: HEAVY_UNFINISHED };
  const queue = new KeyedQueue<string | object>(HEAVY_AT_ONCE, perSource, bounds);
  return async (request, response, next) => {
    const source = sourceOf(request);
    await queue.run(source.isProxy ? request : source.key, async () => {
      // A response behind another one on its connection does not see its end.
      const { socket } = request;
      if (response.destroyed || socket.destroyed) return;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      response.once("finish", end).once("close", end);
      socket.once("close", end);
      next();
      await ended;
      socket.off("close", end);
      // The next one would else begin in the same turn of the event loop, and all that wait one after the other.
      await yieldToEventLoop();
    });
  };
}
