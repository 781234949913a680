import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SealbookError } from "../errors.ts";

const MINUTE_SECONDS = 60;

/**
 * Counts an action of a key, such as an account.
 * @throws SealbookError `too_many_requests` with the time after which it is permitted again
 */
export type RateLimit = (key: string) => Promise<void>;

/** @param what Name of the actions in the error message */
export function rateLimit(perMinute: number, what: string): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECONDS });
  return async (key) => {
    try {
      await limiter.consume(key);
    } catch (error) {
      throw tooMany(error, perMinute, what);
    }
  };
}

function tooMany(error: unknown, perMinute: number, what: string): unknown {
  if (!(error instanceof RateLimiterRes)) return error;
  return new SealbookError("too_many_requests", `too many ${what}; at most ${perMinute} a minute`, {
    retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
  });
}
