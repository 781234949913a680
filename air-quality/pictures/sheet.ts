import { createCanvas, type Canvas, type SKRSContext2D } from "@napi-rs/canvas";
import type { Position } from "../reading.ts";
import type { PictureOptions } from "./picture-options.ts";
import type { Box } from "../map/label-layout.ts";
import { drawBase } from "../map/draw-base.ts";
import { metresPerPixel, unproject, scaleBar } from "../map/mercator.ts";
import { fitView, type View } from "../map/view.ts";
import { drawGraticule, drawTiles } from "./scene.ts";
import { font } from "./label.ts";
import { drawLegend, legendHeight } from "./legend.ts";
import { PICTURE_TEXTS, type PictureTexts } from "./texts.ts";
import type { TileStore } from "./tile-store.ts";
import { readFileSync } from "node:fs";
import { type BaseMap, baseMap, type Countries } from "../map/base-map.ts";
import { libraryFile } from "../../server/kit/program-files.ts";

/** A picture before readings are drawn on it: title above, map, legend below. */
export interface Sheet {
  readonly canvas: Canvas;
  readonly context: SKRSContext2D;
  readonly map: Box;
  readonly view: View;
  /** Boxes on the map without labels, relative to the map's corner. */
  readonly taken: readonly Box[];
  readonly texts: PictureTexts;
}

export const HEADER_HEIGHT = 40;
const DEFAULT_WIDTH = 1024;
const DEFAULT_HEIGHT = 768;
const MIN_SIDE = 320;
const MAX_SIDE = 2048;
/** Maximum zoom: on the plain map a single position would have no surroundings. */
const MAX_ZOOM = { plain: 10.5, plainOnePlace: 6.5, tiles: 13 };
/** Degrees within which positions count as one. */
const ONE_PLACE = 0.02;
const PLAIN_ATTRIBUTION = "Natural Earth";

/**
 * Draws all content that does not depend on the readings.
 *
 * @throws RangeError for an unsupported width or height
 */
export async function drawSheet(
  positions: readonly Position[],
  options: PictureOptions,
  tiles: TileStore | undefined,
): Promise<Sheet> {
  const { language, width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT, around = [] } = options;
  for (const [name, side] of Object.entries({ width, height })) {
    if (!Number.isInteger(side) || side < MIN_SIDE || side > MAX_SIDE) {
      throw new RangeError(`${name}: ${side} pixels instead of ${MIN_SIDE} to ${MAX_SIDE}`);
    }
  }
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  const legend = legendHeight(context, width, language);
  const map = { x: 0, y: HEADER_HEIGHT, width, height: height - HEADER_HEIGHT - legend };
  const fitted = around.length > 0 ? around : positions;
  const padding = Math.min(70, map.width / 6, map.height / 6);
  context.save();
  context.beginPath();
  context.rect(map.x, map.y, map.width, map.height);
  context.clip();
  context.translate(map.x, map.y);
  const tiled =
    tiles === undefined ? undefined : fitView(fitted, map, { padding, maxZoom: MAX_ZOOM.tiles, wholeZoom: true });
  const withTiles = tiles !== undefined && tiled !== undefined && (await drawTiles(context, tiles, tiled));
  const maxZoom = areOnePlace(fitted) ? MAX_ZOOM.plainOnePlace : MAX_ZOOM.plain;
  const view = withTiles ? tiled : fitView(fitted, map, { padding, maxZoom });
  if (!withTiles) {
    drawBase(context, baseMapFor(view.zoom), view);
    drawGraticule(context, view);
  }
  const texts = PICTURE_TEXTS[language];
  const taken = [
    drawScale(context, view, texts),
    drawAttribution(context, view, withTiles ? tiles.attribution : PLAIN_ATTRIBUTION),
  ];
  context.restore();
  drawLegend(context, { x: 0, y: map.y + map.height, width, height: legend }, language);
  return { canvas, context, map, view, taken, texts };
}

/** Draws title, notes and time. */
export function drawHeader({ context, view: { width }, texts }: Sheet, time: number, sensors: number): void {
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, HEADER_HEIGHT);
  context.fillStyle = "#d0d5d9";
  context.fillRect(0, HEADER_HEIGHT - 1, width, 1);
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.font = font(14);
  context.fillStyle = "#3a444b";
  const when = texts.time(time);
  context.fillText(when, width - 12, HEADER_HEIGHT / 2, width / 2);
  const room = width - 36 - Math.min(width / 2, context.measureText(when).width);
  context.textAlign = "left";
  context.font = font(16, "bold");
  context.fillStyle = "#1d2429";
  context.fillText(texts.title, 12, HEADER_HEIGHT / 2, room);
  const titleWidth = context.measureText(texts.title).width;
  context.font = font(13);
  const count = texts.sensors(sensors);
  if (titleWidth + 12 + context.measureText(count).width > room) return;
  context.fillStyle = "#525c64";
  context.fillText(count, 12 + titleWidth + 12, HEADER_HEIGHT / 2 + 1);
}

/** Draws a note in the middle of an empty map. */
export function drawNoReadings({ context, map, texts }: Sheet): void {
  context.font = font(18, "bold");
  context.textAlign = "center";
  context.textBaseline = "middle";
  const width = context.measureText(texts.noReadings).width + 40;
  context.beginPath();
  context.roundRect(map.x + (map.width - width) / 2, map.y + map.height / 2 - 24, width, 48, 8);
  context.fillStyle = "#ffffffe6";
  context.fill();
  context.fillStyle = "#1d2429";
  context.fillText(texts.noReadings, map.x + map.width / 2, map.y + map.height / 2);
}

function areOnePlace([first, ...others]: readonly Position[]): boolean {
  return (
    first !== undefined &&
    others.every(({ lng, lat }) => Math.abs(lng - first.lng) < ONE_PLACE && Math.abs(lat - first.lat) < ONE_PLACE)
  );
}

function drawScale(context: SKRSContext2D, view: View, { metres: m, kilometres: km }: PictureTexts): Box {
  const { metres, pixels } = scaleBar(metresPerPixel(unproject(view.centre).lat, view.zoom), 130);
  const text = metres >= 1000 ? `${metres / 1000} ${km}` : `${metres} ${m}`;
  const box = { x: 8, y: view.height - 34, width: pixels + 16, height: 26 };
  drawPlate(context, box);
  context.font = font(11);
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillStyle = "#1d2429";
  context.fillText(text, box.x + box.width / 2, box.y + 13, pixels);
  context.beginPath();
  context.moveTo(box.x + 8, box.y + 16);
  context.lineTo(box.x + 8, box.y + 20);
  context.lineTo(box.x + 8 + pixels, box.y + 20);
  context.lineTo(box.x + 8 + pixels, box.y + 16);
  context.strokeStyle = "#1d2429";
  context.lineWidth = 1.5;
  context.stroke();
  return box;
}

function drawAttribution(context: SKRSContext2D, view: View, attribution: string): Box {
  context.font = font(10);
  const width = Math.min(context.measureText(attribution).width + 10, view.width * 0.6);
  const box = { x: view.width - width, y: view.height - 16, width, height: 16 };
  drawPlate(context, box);
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = "#3a444b";
  context.fillText(attribution, view.width - 5, view.height - 8, width - 10);
  return box;
}

function drawPlate(context: SKRSContext2D, { x, y, width, height }: Box): void {
  context.fillStyle = "#ffffffb8";
  context.fillRect(x, y, width, height);
}

/** Natural Earth's scales, the finest last, and the lowest zoom of each. */
const SCALES = [
  { fromZoom: 0, file: "countries-110m.json" },
  { fromZoom: 3, file: "countries-50m.json" },
  { fromZoom: 5.5, file: "countries-10m.json" },
] as const;

const read = new Map<string, BaseMap>();

/** Returns the base map for a zoom; each file is read once. */
function baseMapFor(zoom: number): BaseMap {
  const { file } = SCALES.findLast(({ fromZoom }) => zoom >= fromZoom) ?? SCALES[0];
  const known = read.get(file);
  if (known !== undefined) return known;
  // The file is a part of the product, in a fixed version.
  const topology: Countries = JSON.parse(readFileSync(libraryFile(`world-atlas/${file}`), "utf8"));
  const base = baseMap(topology);
  read.set(file, base);
  return base;
}
