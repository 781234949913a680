import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import gifenc from "gifenc";
import type { MapOptions, PictureOptions } from "./picture-options.ts";
import type { Reading } from "../reading.ts";
import { type Frame, sensorOf } from "../readings.ts";
import type { Box } from "../map/label-layout.ts";
import { arrange, drawMarks, sensorsOf } from "./scene.ts";
import { drawHeader, drawNoReadings, drawSheet, HEADER_HEIGHT } from "./sheet.ts";
import type { TileStore } from "./tile-store.ts";
import { CATEGORY_COLOURS } from "../category.ts";

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
function onMap(context: SKRSContext2D, { x, y, width, height }: Box, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.translate(x, y);
  draw();
  context.restore();
}

const FRAME_MILLISECONDS = 400;
/** The last frame shows the current values and is shown longer. */
const LAST_FRAME_MILLISECONDS = 2_500;
const DEFAULT_WIDTH = 800;
const DEFAULT_HEIGHT = 640;
/** Palette index of unchanged pixels. */
const UNCHANGED = 255;

/**
 * Draws a day as an animation, as GIF. Every sensor of the day has the same position in each frame; without a value it
 * is grey.
 *
 * @throws RangeError without frames
 */
export async function dayAnimation(
  frames: readonly Frame[],
  options: PictureOptions,
  tiles: TileStore | undefined,
): Promise<Uint8Array> {
  if (frames.length === 0) throw new RangeError("frames: there is none");
  const sensors = sensorsOf(frames.flatMap(({ readings }) => readings));
  const sized = { ...options, width: options.width ?? DEFAULT_WIDTH, height: options.height ?? DEFAULT_HEIGHT };
  const sheet = await drawSheet(
    sensors.map(({ position }) => position),
    sized,
    tiles,
  );
  const { context, canvas, map, texts } = sheet;
  const marks = arrange(context, sensors, sheet.view, sheet.taken);
  const background = createCanvas(canvas.width, canvas.height);
  background.getContext("2d").drawImage(canvas, 0, 0);

  const pixels = frames.map(({ time, readings }, index) => {
    const current = new Map(readings.map((reading) => [sensorOf(reading), reading]));
    context.drawImage(background, 0, 0);
    onMap(context, map, () => drawMarks(context, marks, current, texts));
    drawHeader(sheet, time, readings.length);
    context.fillStyle = "#1c6fb0";
    context.fillRect(0, HEADER_HEIGHT - 4, (canvas.width * (index + 1)) / frames.length, 4);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  });
  return encode(pixels, canvas.width, canvas.height);
}

function encode(frames: readonly Uint8ClampedArray[], width: number, height: number): Uint8Array {
  const palette = paletteOf(frames);
  const gif = gifenc.GIFEncoder();
  let before: Uint8Array | undefined;
  for (const [number, frame] of frames.entries()) {
    const indexed = gifenc.applyPalette(frame, palette);
    const delay = number === frames.length - 1 ? LAST_FRAME_MILLISECONDS : FRAME_MILLISECONDS;
    if (before === undefined) {
      // One more entry than drawn colours: the entry for unchanged pixels has a colour that is never visible.
      const whole = Array.from(
        { length: UNCHANGED + 1 },
        (_, index) => palette[index] ?? ([0, 0, 0] as [number, number, number]),
      );
      gif.writeFrame(indexed, width, height, { palette: whole, delay, repeat: 0 });
    } else {
      const last = before;
      const changes = indexed.map((colour, pixel) => (colour === last[pixel] ? UNCHANGED : colour));
      gif.writeFrame(changes, width, height, { delay, transparent: true, transparentIndex: UNCHANGED, dispose: 1 });
    }
    before = indexed;
  }
  gif.finish();
  return gif.bytes();
}

/** Computes the palette: the exact colours of the categories, and the best others for all frames together. */
function paletteOf(frames: readonly Uint8ClampedArray[]): [number, number, number][] {
  const exact = [...Object.values(CATEGORY_COLOURS), "#FFFFFF", "#000000"].map((colour): [number, number, number] => {
    const value = Number.parseInt(colour.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  });
  const [first, last] = [frames[0], frames.at(-1)];
  const sample = new Uint8ClampedArray(
    [...[first, last].flatMap((frame) => (frame === undefined ? [] : [frame]))].reduce(
      (sum, { length }) => sum + length,
      0,
    ),
  );
  if (first !== undefined) sample.set(first);
  if (last !== undefined) sample.set(last, first?.length ?? 0);
  return [...exact, ...gifenc.quantize(sample, UNCHANGED - exact.length)];
}
