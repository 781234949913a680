const INTERRUPTED = 130;

/** Runs work that Ctrl-C ends at its next step, and the second Ctrl-C at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    stop.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    return await work(stop.signal);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
