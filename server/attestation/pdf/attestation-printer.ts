import type { Attachment } from "../facts.ts";
import type { Statement } from "../responses.ts";
import { JobThread } from "../../kit/job-thread.ts";

/** A statement to be printed. */
export interface PrintJob {
  readonly statement: Statement;
  /** The signed payload. */
  readonly text: string;
  readonly jws: string;
  readonly attachments: readonly Attachment[];
}

/** Maximum queued PDFs; one of a thousand records takes about a second. */
const MAX_WAITING = 20;
const IDLE_MILLISECONDS = 60_000;

/** Prints attestations as PDF in a separate thread. */
export class AttestationPrinter {
  readonly #thread = new JobThread<PrintJob>({
    module: new URL("./print-worker.ts", import.meta.url),
    jobs: "PDFs",
    maxWaiting: MAX_WAITING,
    idleMilliseconds: IDLE_MILLISECONDS,
  });

  /** @throws SealbookError `overloaded` */
  print(job: PrintJob): Promise<Uint8Array> {
    return this.#thread.run(job);
  }

  /** Ends the thread; unfinished PDFs fail. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
