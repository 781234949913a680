import type { Reading } from "../../server/readings/air-quality/reading.ts";
import { dayFrames, HOUR_MILLISECONDS } from "../../server/readings/air-quality/readings.ts";
import { WorkerPool } from "../../server/kit/workers/worker-pool.ts";
import { DrawnPictures } from "../../server/readings/pictures/drawn-pictures.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { atMost } from "../run/result.ts";

const NOW = Date.UTC(2026, 0, 1);
const MAX_STILL_MILLISECONDS = 1_000;
const MAX_DAY_MILLISECONDS = 10_000;
const MAX_DAY_MEGABYTES = 5;

/** Sensors around a position. */
interface Place {
  readonly name: string;
  readonly count: number;
  readonly lng: number;
  readonly lat: number;
  /** Spread of the sensors, in degrees. */
  readonly spread: number;
}

const PLACES: readonly Place[] = [
  { name: "30 sensors in a city", count: 30, lng: 37.6, lat: 55.75, spread: 0.5 },
  { name: "500 sensors over a continent", count: 500, lng: 15, lat: 50, spread: 30 },
];

/** Measures the time of drawing maps of readings, and the size of the animation of a day. */
export async function pictures({ report, quick }: Bench): Promise<void> {
  const stills = quick ? 3 : 20;
  for (const place of PLACES) {
    const day = dayAt(place);
    const now = day.filter(({ time }) => time === NOW);
    const workers = new WorkerPool();
    const drawn = new DrawnPictures(workers);
    using progress = showProgress(`pictures: ${place.name}`, stills + 1, "pictures");
    const times: number[] = [];
    for (let number = 0; number < stills + 1; number += 1) {
      times.push(await milliseconds(() => drawn.drawMap(now, { language: "en", time: NOW })));
      progress.update(number + 1);
    }
    const [first = 0, ...others] = times;
    const median = others.sort((one, other) => one - other)[Math.floor(others.length / 2)] ?? 0;
    report.add({
      section: "pictures",
      name: `map, ${place.name}`,
      value: median,
      unit: "ms",
      details: { first_ms: first, slowest_ms: others.at(-1) ?? 0 },
      targets: [atMost(Math.max(first, ...others), MAX_STILL_MILLISECONDS, "ms")],
    });

    let bytes = 0;
    const frames = dayFrames(day, { end: NOW, maxAge: HOUR_MILLISECONDS });
    const time = await milliseconds(async () => (bytes = (await drawn.drawDay(frames, { language: "en" })).length));
    const megabytes = bytes / 1024 / 1024;
    report.add({
      section: "pictures",
      name: `day in ${frames.length} frames, ${place.name}`,
      value: time,
      unit: "ms",
      details: { size_MB: megabytes },
      targets: [atMost(time, MAX_DAY_MILLISECONDS, "ms"), atMost(megabytes, MAX_DAY_MEGABYTES, "MB")],
    });
    await workers.stop();
  }
}

async function milliseconds(draw: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await draw();
  return performance.now() - begin;
}

/** Returns a value of each sensor for each hour; evenly distributed and the same in every run. */
function dayAt({ count, lng, lat, spread }: Place): Reading[] {
  return Array.from({ length: count }, (_, sensor) => {
    // Multiples of two irrational numbers fill a square evenly.
    const [x, y] = [(sensor * Math.SQRT2) % 1, (sensor * Math.E) % 1];
    const position = { lng: lng + (x - 0.5) * spread, lat: lat + (y - 0.5) * spread * 0.6 };
    return Array.from({ length: 24 }, (_, hour) => ({
      sender: "0x0",
      device: `sensor ${sensor}`,
      title: `Station ${sensor}`,
      position,
      code: "",
      value: Math.round(300 * Math.abs(Math.sin(sensor + hour / 5)) ** 3 * 10) / 10,
      time: NOW - hour * HOUR_MILLISECONDS,
    }));
  }).flat();
}
