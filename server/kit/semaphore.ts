import { SealbookError } from "../errors.ts";

/**
 * Lets only so many pieces of work run at a time; others wait for their turn.
 * @param atOnce How many run at a time
 * @param waiting How many may wait; more are refused with `overloaded`
 */
export function semaphore(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) {
      running += 1;
    } else {
      if (queue.length >= waiting) {
        throw new SealbookError("overloaded", "too much is going on; try again soon", { retryAfterSeconds: 2 });
      }
      // Whoever ends hands the turn on, so that `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
