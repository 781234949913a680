import { Presets, SingleBar } from "cli-progress";

const LINE_INTERVAL_MILLISECONDS = 3_000;

/** Shows how far a run is, on the standard error. */
export interface Progress {
  /** One more file is done. */
  tick(): void;
  stop(): void;
}

/** A bar for a terminal, else a line every few seconds. */
export function showProgress(what: string, total: number): Progress {
  return process.stderr.isTTY ? bar(what, total) : lines(what, total);
}

function bar(what: string, total: number): Progress {
  const format = `${what} {bar} {percentage}% | {value}/{total} files | {eta_formatted} left`;
  const single = new SingleBar({ format, stream: process.stderr, hideCursor: true, etaBuffer: 200 }, Presets.shades_classic);
  single.start(total, 0);
  return { tick: () => single.increment(), stop: () => single.stop() };
}

function lines(what: string, total: number): Progress {
  const start = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const rate = done / ((performance.now() - start) / 1000);
    process.stderr.write(`${what}: ${done} of ${total} files, ${rate.toFixed(0)} a second\n`);
  }, LINE_INTERVAL_MILLISECONDS);
  timer.unref();
  return { tick: () => void (done += 1), stop: () => clearInterval(timer) };
}
