import type { MapOptions, PictureOptions, Pictures } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import { JobThread } from "../../kit/job-thread.ts";
import type { TileSource } from "./tile-store.ts";

/** Start data of the drawing thread. */
export interface WorkerData {
  readonly tiles: TileSource | undefined;
}

/** A picture to be drawn. */
export type Picture =
  | { readonly kind: "map"; readonly readings: readonly Reading[]; readonly options: MapOptions }
  | { readonly kind: "day"; readonly frames: readonly Frame[]; readonly options: PictureOptions };

/** Maximum queued pictures. */
const MAX_WAITING = 20;
const IDLE_MILLISECONDS = 600_000;

/** Draws pictures in a separate thread. */
export class DrawnPictures implements Pictures {
  readonly #thread: JobThread<Picture>;

  constructor(tiles?: TileSource) {
    this.#thread = new JobThread({
      module: new URL("./picture-worker.ts", import.meta.url),
      workerData: { tiles } satisfies WorkerData,
      jobs: "pictures",
      maxWaiting: MAX_WAITING,
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array> {
    return this.#thread.run({ kind: "map", readings, options });
  }

  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array> {
    return this.#thread.run({ kind: "day", frames, options });
  }

  /** Ends the thread; unfinished pictures fail. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
