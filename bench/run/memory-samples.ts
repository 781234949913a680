import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

const INTERVAL_MILLISECONDS = 1_000;
/** Written to clear_refs, resets the kernel's peak of the resident memory. */
const FORGET_PEAK = "5";

/** The memory of a process after an amount of work. */
interface Sample {
  readonly done: number;
  readonly megabytes: number;
}

/** Figures of the samples, in megabytes. */
export interface MemoryFigures {
  readonly start: number;
  /** The peak before the work began. */
  readonly peakBefore: number;
  /** The peak as recorded by the kernel, not only of the samples. */
  readonly peak: number;
  readonly end: number;
  /** Growth over the last half of the work, by linear regression. */
  readonly lateGrowth: number;
}

/** Samples the resident memory of a process during the work. */
export class MemorySamples implements Disposable {
  readonly #samples: Sample[] = [];
  readonly #status: string;
  readonly #done: () => number;
  readonly #peakBefore: number;
  readonly #timer: NodeJS.Timeout;

  /**
   * @param done Returns the amount of work that is done
   * @throws Error without /proc
   */
  constructor(pid: number, done: () => number) {
    this.#status = `/proc/${pid}/status`;
    this.#done = done;
    const text = readFileSync(this.#status, "utf8");
    this.#peakBefore = megabytesOf(text, "VmHWM");
    writeFileSync(`/proc/${pid}/clear_refs`, FORGET_PEAK);
    this.#add(text);
    this.#timer = setInterval(
      () => void readFile(this.#status, "utf8").then((text) => this.#add(text)),
      INTERVAL_MILLISECONDS,
    );
  }

  /** Ends the sampling; the process must still be running. */
  figures(): MemoryFigures {
    this[Symbol.dispose]();
    const text = readFileSync(this.#status, "utf8");
    this.#add(text);
    const start = this.#samples[0]?.megabytes ?? Number.NaN;
    const end = this.#samples.at(-1) ?? { done: 0, megabytes: Number.NaN };
    const late = this.#samples.filter(({ done }) => done >= end.done / 2);
    const peak = megabytesOf(text, "VmHWM");
    const lateGrowth = (slope(late) * end.done) / 2;
    return { start, peakBefore: this.#peakBefore, peak, end: end.megabytes, lateGrowth };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #add(text: string): void {
    this.#samples.push({ done: this.#done(), megabytes: megabytesOf(text, "VmRSS") });
  }
}

function megabytesOf(status: string, field: string): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

/** Least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map(({ done }) => done));
  const y = mean(samples.map(({ megabytes }) => megabytes));
  const covariance = mean(samples.map(({ done, megabytes }) => (done - x) * (megabytes - y)));
  return covariance / mean(samples.map(({ done }) => (done - x) ** 2));
}
