import { signal, type ReadonlySignal } from "@preact/signals";
import type { ReadFile } from "./evidence.ts";
import type { FileMessage } from "./file-worker.ts";

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

/** The outcome of one file; `cancelled` when the reader did not wait for it. */
export type FileOutcome = ReadFile | { readonly failure: string } | "cancelled";

const MOST_WORKERS = 4;
const PROGRESS_MILLISECONDS = 200;
/** Time after which the speed says something about the rest. */
const ESTIMATE_AFTER_MILLISECONDS = 1_000;

/** A browser says no more about a worker that it cannot load. */
const WORKER_FAILED = "the browser could not start or end the reading of it; reload the page";

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

  /** Ends the current run. */
  cancel(): void {
    this.#cancel();
  }

  /**
   * Reads files, smallest first, so that most results come soon.
   * @param onOutcome Called for each file
   */
  async read(files: readonly NamedFile[], onOutcome: (file: NamedFile, outcome: FileOutcome) => void): Promise<void> {
    const waiting = files.toSorted((a, b) => b.file.size - a.file.size);
    const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    const start = performance.now();
    /** Bytes of the files that are being read, by the number of their worker. */
    const inFlight = new Map<number, number>();
    let filesDone = 0;
    let bytesOfDone = 0;
    const update = (): void => {
      const bytesDone = [...inFlight.values()].reduce((sum, done) => sum + done, bytesOfDone);
      const elapsed = performance.now() - start;
      const canEstimate = elapsed > ESTIMATE_AFTER_MILLISECONDS && bytesDone > 0;
      const secondsLeft = canEstimate ? Math.ceil(((bytes - bytesDone) / bytesDone) * (elapsed / 1000)) : undefined;
      this.#progress.value = { files: files.length, filesDone, bytes, bytesDone, secondsLeft };
    };
    const { promise: cancelled, resolve } = Promise.withResolvers<"cancelled">();
    let isCancelled = false;
    this.#cancel = () => {
      isCancelled = true;
      resolve("cancelled");
    };
    update();
    const timer = setInterval(update, PROGRESS_MILLISECONDS);
    const work = async (lane: number): Promise<void> => {
      let worker: Worker | undefined;
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (isCancelled) {
          onOutcome(next, "cancelled");
          continue;
        }
        const reading = this.#reading(worker, next.file, (done) => inFlight.set(lane, done));
        worker = reading.worker;
        const outcome = await Promise.race([cancelled, reading.outcome]);
        inFlight.delete(lane);
        filesDone += 1;
        bytesOfDone += next.file.size;
        onOutcome(next, outcome);
        if (typeof outcome === "object" && "hash" in outcome) continue;
        // One that failed may be gone, and one that is cancelled still reads.
        worker?.terminate();
        worker = undefined;
      }
      worker?.terminate();
    };
    try {
      await Promise.all(Array.from({ length: Math.min(workerCount(), files.length) }, (_, lane) => work(lane)));
    } finally {
      clearInterval(timer);
      this.#cancel = () => undefined;
      this.#progress.value = undefined;
    }
  }

  /** Starts to read a file, in a new worker unless there is one. */
  #reading(worker: Worker | undefined, file: File, onProgress: (bytes: number) => void): Reading {
    try {
      const started = worker ?? this.#createWorker();
      return { worker: started, outcome: readIn(started, file, onProgress) };
    } catch {
      return { worker: undefined, outcome: { failure: WORKER_FAILED } };
    }
  }
}

interface Reading {
  /** `undefined` when the browser starts none. */
  readonly worker: Worker | undefined;
  readonly outcome: FileOutcome | Promise<FileOutcome>;
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
  worker.onerror = (event) => resolve({ failure: event.message || WORKER_FAILED });
  worker.onmessageerror = () => resolve({ failure: WORKER_FAILED });
  worker.postMessage(file);
  return promise;
}
