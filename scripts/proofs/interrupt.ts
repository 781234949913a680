import type { ProveSignals } from "./prove-file.ts";

/** Maximum time for requests in flight after Ctrl-C. */
const GRACE_MILLISECONDS = 5_000;
const INTERRUPTED = 130;

/**
 * Handles Ctrl-C: starts no further files and waits briefly for requests in flight, so that no accepted proof is lost.
 * A second Ctrl-C ends the process immediately.
 */
export function onInterrupt(): ProveSignals {
  const stop = new AbortController();
  const giveUp = new AbortController();
  process.on("SIGINT", () => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    process.exitCode = INTERRUPTED;
    stop.abort();
    setTimeout(() => giveUp.abort(), GRACE_MILLISECONDS).unref();
  });
  return { stop: stop.signal, giveUp: giveUp.signal };
}
