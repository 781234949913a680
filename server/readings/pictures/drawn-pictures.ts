import type { MapOptions, PictureOptions, Pictures } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import { WorkerPool } from "../../kit/workers/worker-pool.ts";
import type * as worker from "./picture-worker.ts";
import type { TileSource } from "./tile-store.ts";

/** Maximum queued pictures. */
const MAX_WAITING = 20;
const DEADLINE_MILLISECONDS = 120_000;
const MEMORY_MEGABYTES = 512;
const IDLE_MILLISECONDS = 600_000;

/** Draws pictures in a separate thread. */
export class DrawnPictures implements Pictures {
  readonly #pool: WorkerPool<typeof worker>;

  constructor(tiles?: TileSource) {
    this.#pool = new WorkerPool({
      module: new URL("./picture-worker.ts", import.meta.url),
      workerData: { tiles } satisfies worker.WorkerData,
      jobs: "pictures",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      memoryMegabytes: MEMORY_MEGABYTES,
      maxWaiting: MAX_WAITING,
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array> {
    return this.#pool.run("drawMap", { readings, options });
  }

  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array> {
    return this.#pool.run("drawDay", { frames, options });
  }

  /** Ends the thread; unfinished pictures fail. */
  stop(): Promise<void> {
    return this.#pool.stop();
  }
}
