import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { SealbookError } from "../errors.ts";

const MINUTE_SECONDS = 60;

/**
 * Counts something done with a key, such as an account.
 * @throws SealbookError `too_many_requests` with the time after which it may be done again
 */
export type RateLimit = (key: string) => Promise<void>;

/** @param what is done too often, for the message */
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

/**
 * Runs an attempt with a key. Only failed ones count, but attempts that are under way count as failed until they end,
 * so that many at once do not slip through: whoever comes when the rest is under way waits for them.
 * @throws SealbookError `too_many_requests` when too many failed
 */
export type AttemptLimit = <T>(key: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * @param what fails too often, for the message
 * @param isFailure whether what an attempt threw counts
 */
export function attemptLimit(perMinute: number, what: string, isFailure: (error: unknown) => boolean): AttemptLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: MINUTE_SECONDS });
  const underWay = new Map<string, Set<Promise<void>>>();

  /** Waits until an attempt may begin, and counts it as under way. */
  const begin = async (key: string, ended: Promise<void>): Promise<void> => {
    for (;;) {
      const failed = await limiter.get(key);
      if (failed !== null && failed.consumedPoints >= perMinute) throw tooMany(failed, perMinute, what);
      const others = underWay.get(key) ?? new Set();
      if ((failed?.consumedPoints ?? 0) + others.size < perMinute) {
        underWay.set(key, others.add(ended));
        return;
      }
      await Promise.race(others);
    }
  };

  return async (key, attempt) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    await begin(key, ended);
    try {
      return await attempt();
    } catch (error) {
      if (isFailure(error)) await limiter.penalty(key);
      throw error;
    } finally {
      const others = underWay.get(key);
      others?.delete(ended);
      if (others?.size === 0) underWay.delete(key);
      end();
    }
  };
}

function tooMany(error: unknown, perMinute: number, what: string): unknown {
  if (!(error instanceof RateLimiterRes)) return error;
  return new SealbookError("too_many_requests", `too many ${what}; at most ${perMinute} a minute`, {
    retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
  });
}
