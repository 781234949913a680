import type { Reading } from "../reading.ts";
import type { Frame } from "../readings.ts";
import { workerModule } from "../../server/kit/program-files.ts";
import type { Tasks, WorkerPool } from "../../server/kit/workers/worker-pool.ts";
import type { MapOptions, PictureOptions } from "./picture-options.ts";
import type * as worker from "./picture-worker.ts";
import type { TileSource } from "./tile-store.ts";

/** Maximum queued pictures. */
const MAX_WAITING = 20;
const DEADLINE_MILLISECONDS = 120_000;

/** Draws maps of readings in another thread. */
export class Pictures {
  readonly #tasks: Tasks<typeof worker>;

  constructor(pool: WorkerPool, tiles?: TileSource) {
    this.#tasks = pool.tasks({
      module: workerModule("air-quality/pictures/picture-worker"),
      data: { tiles } satisfies worker.WorkerData,
      jobs: "pictures",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
    });
  }

  /**
   * Draws a map of the values at one time, as PNG. Without readings the map shows a note.
   *
   * @throws RangeError for a width or height outside 320 to 2048
   */
  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array> {
    return this.#tasks.run("drawMap", { readings, options });
  }

  /**
   * Draws a day as a looping animation, as GIF of less than 5 MB.
   *
   * @throws RangeError without frames, and for a width or height outside 320 to 2048
   */
  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array> {
    return this.#tasks.run("drawDay", { frames, options });
  }
}
