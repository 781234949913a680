import { parentPort, workerData } from "node:worker_threads";
import { dayAnimation } from "./day-animation.ts";
import { registerFonts } from "./fonts.ts";
import type { Job, JobResult, WorkerData } from "./drawn-pictures.ts";
import { mapPicture } from "./map-picture.ts";
import { TileStore } from "./tile-store.ts";

// Entry point of the thread that pictures.ts starts: draws pictures in sequence.
const { tiles: source }: WorkerData = workerData;
const tiles = source === undefined ? undefined : new TileStore(source);
registerFonts();

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", (job: Job) => {
  last = last.then(() => draw(job));
});

async function draw(job: Job): Promise<void> {
  const { id } = job;
  try {
    const picture =
      job.kind === "map"
        ? await mapPicture(job.readings, job.options, tiles)
        : await dayAnimation(job.frames, job.options, tiles);
    // Copied, so that the memory can be transferred as a whole.
    const bytes = Uint8Array.from(picture);
    parentPort?.postMessage({ id, bytes } satisfies JobResult, [bytes.buffer]);
  } catch (error) {
    parentPort?.postMessage({
      id,
      error: error instanceof Error ? error : new Error(String(error)),
    } satisfies JobResult);
  }
}
