// Module of the threads of DrawnPictures.
import { workerData } from "node:worker_threads";
import { serveJobs } from "../../kit/workers/reply.ts";
import type { MapOptions, PictureOptions } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import { dayAnimation } from "./day-animation.ts";
import { registerFonts } from "./fonts.ts";
import { mapPicture } from "./map-picture.ts";
import { type TileSource, TileStore } from "./tile-store.ts";

/** Start data of the module. */
export interface WorkerData {
  readonly tiles: TileSource | undefined;
}

/** A map to be drawn. */
export interface MapJob {
  readonly readings: readonly Reading[];
  readonly options: MapOptions;
}

/** A day to be drawn. */
export interface DayJob {
  readonly frames: readonly Frame[];
  readonly options: PictureOptions;
}

const { tiles: source }: WorkerData = workerData;
const tiles = source === undefined ? undefined : new TileStore(source);
registerFonts();

export const drawMap = serveJobs(({ readings, options }: MapJob) => mapPicture(readings, options, tiles));

export const drawDay = serveJobs(({ frames, options }: DayJob) => dayAnimation(frames, options, tiles));
