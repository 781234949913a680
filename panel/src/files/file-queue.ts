import { signal, type ReadonlySignal } from "@preact/signals";
import type { FileMessage, ReadFile } from "./file-worker.ts";

/** A file and its name: the path in a folder that was dropped or chosen. */
export interface NamedFile {
  readonly name: string;
  readonly file: File;
}

/** How far the queue is. */
export interface QueueProgress {
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
  /** `undefined` until it can be estimated. */
  readonly secondsLeft: number | undefined;
}

/** The outcome of one file. */
export type FileOutcome = ReadFile | { readonly failure: string };

const MOST_WORKERS = 4;
const PROGRESS_MILLISECONDS = 200;
/** Time after which the speed says something about the rest. */
const ESTIMATE_AFTER_MILLISECONDS = 1_000;

/** Reads and hashes files in workers; nothing is sent. */
export class FileQueue {
  readonly #createWorker: () => Worker;
  readonly #progress = signal<QueueProgress | undefined>(undefined);
  /** Ends the files of the current run. */
  #cancel = (): void => undefined;

  /** @param createWorker Starts a worker of `file-worker.ts` */
  constructor(createWorker: () => Worker) {
    this.#createWorker = createWorker;
  }

  /** `undefined` while nothing is read. Changes five times a second. */
  get progress(): ReadonlySignal<QueueProgress | undefined> {
    return this.#progress;
  }

  /** Ends the current run; its files that are not read have no outcome. */
  cancel(): void {
    this.#cancel();
  }

  /**
   * Reads files, smallest first, so that most results come soon.
   * @param onOutcome Called for each file, until the run is cancelled
   */
  async read(files: readonly NamedFile[], onOutcome: (file: NamedFile, outcome: FileOutcome) => void): Promise<void> {
    const waiting = files.toSorted((a, b) => a.file.size - b.file.size);
    const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    const start = performance.now();
    const inFlight = new Map<Worker, number>();
    let filesDone = 0;
    let bytesOfDone = 0;
    let isCancelled = false;
    const update = (): void => {
      const bytesDone = [...inFlight.values()].reduce((sum, done) => sum + done, bytesOfDone);
      const elapsed = performance.now() - start;
      const canEstimate = elapsed > ESTIMATE_AFTER_MILLISECONDS && bytesDone > 0;
      const secondsLeft = canEstimate ? Math.ceil(((bytes - bytesDone) / bytesDone) * (elapsed / 1000)) : undefined;
      this.#progress.value = { files: files.length, filesDone, bytes, bytesDone, secondsLeft };
    };
    const workers = Array.from({ length: Math.min(workerCount(), files.length) }, this.#createWorker);
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    this.#cancel = () => {
      isCancelled = true;
      for (const worker of workers) worker.terminate();
      resolve();
    };
    update();
    const timer = setInterval(update, PROGRESS_MILLISECONDS);
    const work = async (worker: Worker): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const outcome = await readIn(worker, next.file, (done) => inFlight.set(worker, done));
        if (isCancelled) return;
        inFlight.delete(worker);
        filesDone += 1;
        bytesOfDone += next.file.size;
        onOutcome(next, outcome);
      }
    };
    try {
      await Promise.race([cancelled, Promise.all(workers.map(work))]);
    } finally {
      clearInterval(timer);
      for (const worker of workers) worker.terminate();
      this.#cancel = () => undefined;
      this.#progress.value = undefined;
    }
  }
}

function workerCount(): number {
  return Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency));
}

function readIn(worker: Worker, file: File, onProgress: (bytes: number) => void): Promise<FileOutcome> {
  const { promise, resolve } = Promise.withResolvers<FileOutcome>();
  worker.onmessage = ({ data }: MessageEvent<FileMessage>) => {
    if ("done" in data) onProgress(data.done);
    else resolve("read" in data ? data.read : data);
  };
  worker.onerror = (event) => resolve({ failure: event.message });
  worker.postMessage(file);
  return promise;
}
