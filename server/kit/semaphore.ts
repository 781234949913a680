import PQueue from "p-queue";
import { SealbookError } from "../errors.ts";

/**
 * Limits how much work runs at a time; more work waits in the order of its arrival.
 * @param atOnce Maximum of work that runs
 * @param waiting Maximum of work that waits; more is rejected with `overloaded`
 */
export function semaphore(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue = new PQueue({ concurrency: atOnce });
  return async (work) => {
    if (queue.pending >= atOnce && queue.size >= waiting) {
      throw new SealbookError("overloaded", "too much is going on; try again soon", { retryAfterSeconds: 2 });
    }
    return queue.add(work);
  };
}
