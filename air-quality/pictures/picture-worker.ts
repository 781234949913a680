// Module of the threads of Pictures.
import { serveJobs } from "../../server/kit/workers/reply.ts";
import type { MapOptions, PictureOptions } from "./picture-options.ts";
import type { Reading } from "../reading.ts";
import type { Frame } from "../readings.ts";
import { dayAnimation, mapPicture } from "./map-picture.ts";
import { registerFonts } from "./label.ts";
import { type TileSource, TileStore } from "./tile-store.ts";

/** Data of the module, for all jobs. */
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

let tiles: TileStore | undefined;
registerFonts();

function tilesOf({ tiles: source }: WorkerData): TileStore | undefined {
  return (tiles ??= source && new TileStore(source));
}

export const drawMap = serveJobs(({ readings, options }: MapJob, data: WorkerData) =>
  mapPicture(readings, options, tilesOf(data)),
);

export const drawDay = serveJobs(({ frames, options }: DayJob, data: WorkerData) =>
  dayAnimation(frames, options, tilesOf(data)),
);
