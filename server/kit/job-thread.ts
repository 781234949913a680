import { parentPort, Worker } from "node:worker_threads";
import { SealbookError } from "../errors.ts";

interface Request {
  readonly id: number;
  readonly job: unknown;
}

type Response = { readonly id: number; readonly bytes: Uint8Array } | { readonly id: number; readonly error: Error };

interface Waiting {
  readonly worker: Worker;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Settings of a thread. */
export interface JobThreadOptions {
  /** The module that calls {@link serveJobs}. */
  readonly module: URL;
  /** Start data of the module. */
  readonly workerData?: unknown;
  /** Names the jobs in messages, in the plural. */
  readonly jobs: string;
  /** Maximum unfinished jobs; further jobs are rejected with a time to retry. */
  readonly maxWaiting: number;
  /** Idle time after which the thread ends, to free its memory. */
  readonly idleMilliseconds: number;
}

/** Runs jobs that produce bytes in a separate thread, in sequence. The thread starts with the first job. */
export class JobThread<Job> {
  readonly #options: JobThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: JobThreadOptions) {
    this.#options = options;
  }

  /** @throws SealbookError `overloaded` */
  async run(job: Job): Promise<Uint8Array> {
    const { jobs, maxWaiting, idleMilliseconds } = this.#options;
    if (this.#waiting.size >= maxWaiting) {
      throw new SealbookError("overloaded", `too many ${jobs} are being drawn`, { retryAfterSeconds: 10 });
    }
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(id, { worker, resolve, reject });
        worker.postMessage({ id, job } satisfies Request);
      });
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(worker), idleMilliseconds).unref();
    }
  }

  /** Ends the thread; unfinished jobs fail. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #end(worker: Worker): void {
    // The next job starts a new thread.
    this.#worker = undefined;
    void worker.terminate();
  }

  #start(): Worker {
    const { module, workerData, jobs } = this.#options;
    const worker = new Worker(module, { workerData });
    worker.unref();
    worker.on("message", (response: Response) => {
      const waiting = this.#waiting.get(response.id);
      if ("bytes" in response) waiting?.resolve(response.bytes);
      else waiting?.reject(response.error);
    });
    const ended = (cause?: Error): void => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const waiting of this.#waiting.values()) {
        if (waiting.worker === worker) waiting.reject(new Error(`the thread that draws ${jobs} has ended`, { cause }));
      }
    };
    worker.on("error", ended);
    worker.on("exit", () => ended());
    return worker;
  }
}

/** Runs the jobs of a {@link JobThread}; called once, by the module of the thread. */
export function serveJobs<Job>(run: (job: Job) => Promise<Uint8Array>): void {
  let last: Promise<void> = Promise.resolve();
  parentPort?.on("message", ({ id, job }: { readonly id: number; readonly job: Job }) => {
    last = last.then(() => respond(id, () => run(job)));
  });
}

async function respond(id: number, run: () => Promise<Uint8Array>): Promise<void> {
  try {
    // Copied, so that the memory can be transferred as a whole.
    const bytes = Uint8Array.from(await run());
    parentPort?.postMessage({ id, bytes } satisfies Response, [bytes.buffer]);
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    parentPort?.postMessage({ id, error } satisfies Response);
  }
}
