import { Presets, SingleBar } from "cli-progress";
import type { ProveSignals } from "./prove-file.ts";

/**
 * Processes all items, at most `concurrency` at a time.
 * @param signal After an abort, starts no further items and waits for those in flight
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    // All workers share one iterator.
    for (const item of queue) {
      if (signal?.aborted === true) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}

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

const LINE_INTERVAL_MILLISECONDS = 3_000;

/** Reports the progress of a run on standard error. */
export interface Progress {
  /** Adds finished items. */
  tick(count?: number): void;
  stop(): void;
}

/** Shows a bar on a terminal, otherwise a line every few seconds. */
export function showProgress(what: string, total: number, unit = "files"): Progress {
  return process.stderr.isTTY ? bar(what, total, unit) : lines(what, total, unit);
}

function bar(what: string, total: number, unit: string): Progress {
  const format = `${what} {bar} {percentage}% | {value}/{total} ${unit} | {rate} a second | {eta_formatted} left`;
  const single = new SingleBar(
    { format, stream: process.stderr, hideCursor: true, etaBuffer: 200 },
    Presets.shades_classic,
  );
  const rate = rateSince(performance.now());
  let done = 0;
  single.start(total, 0, { rate: 0 });
  return {
    tick(count = 1) {
      done += count;
      single.update(done, { rate: rate(done) });
    },
    stop: () => single.stop(),
  };
}

function lines(what: string, total: number, unit: string): Progress {
  const rate = rateSince(performance.now());
  let done = 0;
  let last = performance.now();
  const show = (): void => {
    last = performance.now();
    process.stderr.write(`${what}: ${done} of ${total} ${unit}, ${rate(done)} a second\n`);
  };
  const timer = setInterval(show, LINE_INTERVAL_MILLISECONDS);
  timer.unref();
  return {
    tick(count = 1) {
      done += count;
      // Timers do not fire while the work blocks the event loop.
      if (performance.now() - last > LINE_INTERVAL_MILLISECONDS) show();
    },
    stop: () => clearInterval(timer),
  };
}

function rateSince(start: number): (done: number) => string {
  return (done) => (done / Math.max(0.001, (performance.now() - start) / 1000)).toFixed(0);
}
