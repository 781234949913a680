/** Work that repeats until it is stopped. */
export interface Interval {
  /** Starts no further run, and returns when the current one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at an interval, never twice at the same time: while a run lasts, ticks are skipped.
 * @param work Handles its own errors; a rejection counts as a programming error
 * @param options.unref Whether the process may end while the interval is active
 */
export function every(
  milliseconds: number,
  work: () => void | Promise<void>,
  { unref = false }: { readonly unref?: boolean } = {},
): Interval {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= Promise.resolve(work()).finally(() => {
      running = undefined;
    });
  }, milliseconds);
  if (unref) timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
