import { workerData } from "node:worker_threads";
import { serveJobs } from "../../kit/job-thread.ts";
import { dayAnimation } from "./day-animation.ts";
import { registerFonts } from "./fonts.ts";
import type { Picture, WorkerData } from "./drawn-pictures.ts";
import { mapPicture } from "./map-picture.ts";
import { TileStore } from "./tile-store.ts";

// Entry point of the thread of DrawnPictures.
const { tiles: source }: WorkerData = workerData;
const tiles = source === undefined ? undefined : new TileStore(source);
registerFonts();

serveJobs<Picture>((picture) =>
  picture.kind === "map"
    ? mapPicture(picture.readings, picture.options, tiles)
    : dayAnimation(picture.frames, picture.options, tiles),
);
