import type { ProveSignals } from "./prove-file.ts";

/** How long requests that are under way may go on after Ctrl-C. */
const GRACE_MILLISECONDS = 5_000;
const INTERRUPTED = 130;

/**
 * Ctrl-C ends a run in an orderly way: nothing new is begun, and what the server may have accepted already is waited
 * for a little, so that its proof is not lost. Pressed again it ends at once.
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
