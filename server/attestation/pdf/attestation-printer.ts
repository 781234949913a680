import { WorkerPool } from "../../kit/workers/worker-pool.ts";
import type * as worker from "./print-worker.ts";

/** Maximum queued PDFs; one of a thousand records takes about a second. */
const MAX_WAITING = 20;
const DEADLINE_MILLISECONDS = 120_000;
const MEMORY_MEGABYTES = 512;
const IDLE_MILLISECONDS = 60_000;

/** Prints attestations as PDF in a separate thread. */
export class AttestationPrinter {
  readonly #pool = new WorkerPool<typeof worker>({
    module: new URL("./print-worker.ts", import.meta.url),
    jobs: "PDFs",
    deadlineMilliseconds: DEADLINE_MILLISECONDS,
    memoryMegabytes: MEMORY_MEGABYTES,
    maxWaiting: MAX_WAITING,
    idleMilliseconds: IDLE_MILLISECONDS,
  });

  /** @throws SealbookError `overloaded`, `too_expensive` */
  print(job: worker.PrintJob): Promise<Uint8Array> {
    return this.#pool.run("print", job);
  }

  /** Ends the thread; unfinished PDFs fail. */
  stop(): Promise<void> {
    return this.#pool.stop();
  }
}
