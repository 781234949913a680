import type { SKRSContext2D } from "@napi-rs/canvas";
import type { MapOptions } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import { sensorOf } from "../air-quality/readings.ts";
import type { Box } from "../map/label-layout.ts";
import { drawMarks } from "./draw-marks.ts";
import { arrange, sensorsOf } from "./scene.ts";
import { drawHeader, drawNoReadings, drawSheet } from "./sheet.ts";
import type { TileStore } from "./tile-store.ts";

/** Draws a map of the values at one time, as PNG. */
export async function mapPicture(
  readings: readonly Reading[],
  options: MapOptions,
  tiles: TileStore | undefined,
): Promise<Uint8Array> {
  const sensors = sensorsOf(readings);
  const sheet = await drawSheet(
    sensors.map(({ position }) => position),
    options,
    tiles,
  );
  drawHeader(sheet, options.time, sensors.length);
  const marks = arrange(sheet.context, sensors, sheet.view, sheet.taken);
  const current = new Map(readings.map((reading) => [sensorOf(reading), reading]));
  onMap(sheet.context, sheet.map, () => drawMarks(sheet.context, marks, current, sheet.texts));
  if (readings.length === 0) drawNoReadings(sheet);
  return sheet.canvas.encode("png");
}

/** Draws on the map only, with its corner as origin. */
export function onMap(context: SKRSContext2D, { x, y, width, height }: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.translate(x, y);
  draw();
  context.restore();
}
