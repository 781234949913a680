import type { MapOptions, PictureOptions, Pictures } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import { workerModule } from "../../kit/program-files.ts";
import type { Tasks, WorkerPool } from "../../kit/workers/worker-pool.ts";
import type * as worker from "./picture-worker.ts";
import type { TileSource } from "./tile-store.ts";

/** Maximum queued pictures. */
const MAX_WAITING = 20;
const DEADLINE_MILLISECONDS = 120_000;

/** Draws pictures in a separate thread. */
export class DrawnPictures implements Pictures {
  readonly #tasks: Tasks<typeof worker>;

  constructor(pool: WorkerPool, tiles?: TileSource) {
    this.#tasks = pool.tasks({
      module: workerModule("server/readings/pictures/picture-worker"),
      data: { tiles } satisfies worker.WorkerData,
      jobs: "pictures",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
    });
  }

  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array> {
    return this.#tasks.run("drawMap", { readings, options });
  }

  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array> {
    return this.#tasks.run("drawDay", { frames, options });
  }
}
