import { Presets, SingleBar } from "cli-progress";

/** Without a terminal the output is a log with few lines. */
const LINE_INTERVAL_MILLISECONDS = 15_000;

/** The progress of a long operation; shown on standard error, because standard output is for figures. */
export interface Progress extends Disposable {
  /** @param done Part of the announced total */
  update(done: number): void;
}

/** Shows progress as a bar on a terminal, else as a line every 15 s. */
export function showProgress(what: string, total: number, unit: string): Progress {
  return process.stderr.isTTY ? bar(what, total, unit) : lines(what, total, unit);
}

function bar(what: string, total: number, unit: string): Progress {
  const format = `${what} {bar} {value}/{total} ${unit}`;
  const single = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  single.start(total, 0);
  return { update: (done) => single.update(Math.min(total, Math.round(done))), [Symbol.dispose]: () => single.stop() };
}

function lines(what: string, total: number, unit: string): Progress {
  process.stderr.write(`${what}\n`);
  let last = performance.now();
  return {
    update(done) {
      if (performance.now() - last < LINE_INTERVAL_MILLISECONDS) return;
      last = performance.now();
      process.stderr.write(`${what}: ${Math.round(done)} of ${total} ${unit}\n`);
    },
    [Symbol.dispose]: () => undefined,
  };
}
