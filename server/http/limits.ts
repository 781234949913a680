import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SealbookError } from "../errors.ts";

const MINUTE_SECONDS = 60;

/** How often something may be done per minute by one key. */
export interface RateLimit {
  /**
   * Counts one attempt.
   * @throws SealbookError `too_many_requests` with the time after which the next may be made
   */
  take(key: string): Promise<void>;
  /** Takes an attempt back: it does not count. */
  giveBack(key: string): Promise<void>;
}

/** @param what is done too often, for the message */
export function rateLimit(perMinute: number, what: string): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECONDS });
  return {
    async take(key) {
      try {
        await limiter.consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new SealbookError("too_many_requests", `too many ${what}; at most ${perMinute} a minute`, {
          retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
        });
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}
