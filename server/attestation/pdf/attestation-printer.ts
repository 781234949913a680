import { workerModule } from "../../kit/program-files.ts";
import type { Tasks, WorkerPool } from "../../kit/workers/worker-pool.ts";
import type * as worker from "./print-worker.ts";

/** Maximum queued PDFs; one of a thousand records takes about a second. */
const MAX_WAITING = 20;
const DEADLINE_MILLISECONDS = 120_000;

/** Prints attestations as PDF in a separate thread. */
export class AttestationPrinter {
  readonly #tasks: Tasks<typeof worker>;

  constructor(pool: WorkerPool) {
    this.#tasks = pool.tasks({
      module: workerModule("server/attestation/pdf/print-worker"),
      jobs: "PDFs",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
    });
  }

  /** @throws SealbookError `overloaded`, `too_expensive` */
  print(job: worker.PrintJob): Promise<Uint8Array> {
    return this.#tasks.run("print", job);
  }
}
