import type { Response } from "express";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SealbookError } from "../errors.ts";

const MINUTE_SECONDS = 60;

/** A rate, as its headers name it. */
export interface RatePolicy {
  readonly name: string;
  /** Number in a window. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Counts an action of a key, such as an account.
 * @param response Gets the headers `RateLimit` and `RateLimit-Policy`
 * @throws SealbookError `too_many_requests` with the time after which it is permitted again
 */
export type RateLimit = (key: string, response?: Response) => Promise<void>;

/**
 * @param name Name of the rate in the headers
 * @param what Name of the actions in the error message
 */
export function rateLimit(perMinute: number, name: string, what: string): RateLimit {
  const policy = { name, quota: perMinute, windowSeconds: MINUTE_SECONDS };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECONDS });
  return async (key, response) => {
    try {
      const state = await limiter.consume(key);
      if (response !== undefined) noteRate(response, policy, state);
    } catch (refusal) {
      if (response !== undefined && refusal instanceof RateLimiterRes) noteRate(response, policy, refusal);
      throw tooMany(refusal, `too many ${what}; at most ${perMinute} a minute`);
    }
  };
}

/** Converts the refusal of a limiter to an error. */
export function tooMany(refusal: unknown, message: string): unknown {
  if (!(refusal instanceof RateLimiterRes)) return refusal;
  return new SealbookError("too_many_requests", message, { retryAfterSeconds: secondsLeft(refusal) });
}

/** Adds a rate to the headers of draft-ietf-httpapi-ratelimit-headers-11: a response can have those of several. */
export function noteRate(response: Response, policy: RatePolicy, state: RateLimiterRes): void {
  const { name, quota, windowSeconds } = policy;
  append(response, "RateLimit-Policy", `"${name}";q=${quota};w=${windowSeconds}`);
  append(response, "RateLimit", `"${name}";r=${state.remainingPoints};t=${secondsLeft(state)}`);
}

function append(response: Response, header: string, item: string): void {
  const earlier = response.getHeader(header);
  response.setHeader(header, earlier === undefined ? item : `${String(earlier)}, ${item}`);
}

function secondsLeft({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
