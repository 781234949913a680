import type { DatabaseLocation } from "../journal/engine/query-connection.ts";
import { WorkerPool } from "../kit/workers/worker-pool.ts";
import type { RecordQuery } from "./record.ts";
import type * as worker from "./search-worker.ts";
import type { TimedStep } from "./service.ts";

/** A step takes some milliseconds; a database can be slow. */
const DEADLINE_MILLISECONDS = 20_000;
const MEMORY_MEGABYTES = 256;
const MAX_WAITING = 200;
const MAX_WAITING_PER_ACCOUNT = 20;
const IDLE_MILLISECONDS = 60_000;

/** Searches the record index in a thread, over a connection of its own. */
export class RecordSearch {
  readonly #pool: WorkerPool<typeof worker>;
  readonly #assertInPlace: () => void;

  /** @param assertInPlace Throws while the database is not the one that the server writes */
  constructor(location: DatabaseLocation, assertInPlace: () => void) {
    this.#assertInPlace = assertInPlace;
    this.#pool = new WorkerPool({
      module: new URL("./search-worker.ts", import.meta.url),
      workerData: { location } satisfies worker.WorkerData,
      jobs: "searches",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      memoryMegabytes: MEMORY_MEGABYTES,
      maxWaiting: MAX_WAITING,
      maxWaitingPerCaller: MAX_WAITING_PER_ACCOUNT,
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  /**
   * Takes a step of an account's search.
   * @throws SealbookError `too_many_requests`, `overloaded`, `too_expensive`, `journal_unavailable`
   */
  async step(account: string, query: RecordQuery): Promise<TimedStep> {
    this.#assertInPlace();
    return this.#pool.run("scan", query, { group: "accounts", id: account });
  }

  /** Ends the thread. */
  stop(): Promise<void> {
    return this.#pool.stop();
  }
}
