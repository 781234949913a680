import { isTransient } from "./errors.ts";
import { pause } from "./pause.ts";

const FIRST_DELAY_MILLISECONDS = 200;
const LONGEST_DELAY_MILLISECONDS = 5_000;

/** Limits of the retries. */
export interface RetryOptions {
  /** No attempt starts later than this after the first failure; 0 disables retries. */
  readonly retryForMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries a call after transient errors. Only for idempotent calls: an attempt without a response may have had its
 * effect.
 */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  let end: number | undefined;
  for (let delay = FIRST_DELAY_MILLISECONDS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MILLISECONDS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      // Measured from the first failure: the attempt itself may have run long.
      end ??= performance.now() + Math.min(options.retryForMilliseconds, error.retryForMilliseconds ?? Infinity);
      // With jitter: many clients lose a server at the same time.
      const wait = Math.max((error.retryAfterSeconds ?? 0) * 1000, delay * (0.5 + Math.random() / 2));
      if (performance.now() + wait > end) throw error;
      await pause(wait, options.signal);
    }
  }
}
