import { isTransient } from "./errors.ts";
import { pause } from "./pause.ts";

const FIRST_DELAY_MILLISECONDS = 200;
const LONGEST_DELAY_MILLISECONDS = 5_000;

/** How long to go on. */
export interface RetryOptions {
  /** No new attempt is made later than this after the first failure; 0 means that there is only one. */
  readonly retryForMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes an attempt again while it fails with what can pass. Only for calls that are safe to make twice: an attempt
 * without an answer may have had its effect.
 */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  let end: number | undefined;
  for (let delay = FIRST_DELAY_MILLISECONDS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MILLISECONDS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      // Counted from here, because an attempt may have waited long before it failed.
      end ??= performance.now() + options.retryForMilliseconds;
      // Not all at the same moment: many clients lose a server together.
      const wait = Math.max((error.retryAfterSeconds ?? 0) * 1000, delay * (0.5 + Math.random() / 2));
      if (performance.now() + wait > end) throw error;
      await pause(wait, options.signal);
    }
  }
}
