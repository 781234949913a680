import type { DatabaseLocation } from "../journal/engine/query-connection.ts";
import { workerModule } from "../kit/program-files.ts";
import type { Tasks, WorkerPool } from "../kit/workers/worker-pool.ts";
import type { RecordQuery } from "./record.ts";
import type * as worker from "./search-worker.ts";
import type { TimedStep } from "./service.ts";

/** A step takes some milliseconds; a database can be slow. */
const DEADLINE_MILLISECONDS = 20_000;
const MAX_WAITING = 200;
const MAX_WAITING_PER_ACCOUNT = 20;

/** Searches the record index in a thread, over a connection of its own. */
export class RecordSearch {
  readonly #tasks: Tasks<typeof worker>;
  readonly #assertInPlace: () => void;

  /** @param assertInPlace Throws while the database is not the one that the server writes */
  constructor(pool: WorkerPool, location: DatabaseLocation, assertInPlace: () => void) {
    this.#assertInPlace = assertInPlace;
    this.#tasks = pool.tasks({
      module: workerModule("server/records/search-worker"),
      data: { location } satisfies worker.WorkerData,
      jobs: "searches",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
      maxWaitingPerCaller: MAX_WAITING_PER_ACCOUNT,
    });
  }

  /**
   * Takes a step of an account's search.
   * @throws SealbookError `too_many_requests`, `overloaded`, `too_expensive`, `journal_unavailable`
   */
  async step(account: string, query: RecordQuery): Promise<TimedStep> {
    this.#assertInPlace();
    return this.#tasks.run("scan", query, { group: "accounts", id: account });
  }
}
