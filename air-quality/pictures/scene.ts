import type { SKRSContext2D } from "@napi-rs/canvas";
import { project, TILE_SIZE, unproject, worldSize } from "../map/mercator.ts";
import { extentOf, pixelOf, type View } from "../map/view.ts";
import { drawLabel, font, type LabelForm, labelSize, NO_VALUE_COLOUR, shortCaption } from "./label.ts";
import type { TilePosition, TileStore } from "./tile-store.ts";
import { CATEGORY_COLOURS, CATEGORY_TEXT_COLOURS } from "../category.ts";
import { airQuality, concentrationText } from "../index-of-pm25.ts";
import type { Position, Reading } from "../reading.ts";
import type { PictureTexts } from "./texts.ts";
import { sensorOf } from "../readings.ts";
import { clustersOf } from "../map/clusters.ts";
import { type Box, type Labelled, layOut, type Placed } from "../map/label-layout.ts";

/** Possible distances between lines, in degrees. */
const STEPS = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
/** Minimum distance between lines, in pixels. */
const MIN_SPACING = 140;

/** Draws meridians and parallels with their degrees: they locate a small area on a plain map. */
export function drawGraticule(context: SKRSContext2D, view: View): void {
  const size = worldSize(view.zoom);
  const step = STEPS.findLast((degrees) => (degrees / 360) * size >= MIN_SPACING) ?? 30;
  const decimals = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  const { west, north, east, south } = extentOf(view);
  context.strokeStyle = "#2b343a1f";
  context.lineWidth = 1;
  context.font = font(10);
  context.fillStyle = "#5d6a72";
  context.textBaseline = "middle";

  context.textAlign = "center";
  for (let line = Math.ceil(((west - 0.5) * 360) / step); line * step < (east - 0.5) * 360; line += 1) {
    const x = Math.round(view.width / 2 + ((line * step) / 360 + 0.5 - view.centre.x) * size) + 0.5;
    stroke(context, x, 0, x, view.height);
    const lng = ((((line * step + 180) % 360) + 360) % 360) - 180;
    context.fillText(degreesText(lng, decimals, "E", "W"), x, 8);
  }

  context.textAlign = "left";
  const [lowest, highest] = [unproject({ x: 0, y: south }).lat, unproject({ x: 0, y: north }).lat];
  for (let line = Math.ceil(lowest / step); line * step < highest; line += 1) {
    const y = Math.round(view.height / 2 + (project({ lng: 0, lat: line * step }).y - view.centre.y) * size) + 0.5;
    stroke(context, 0, y, view.width, y);
    context.fillText(degreesText(line * step, decimals, "N", "S"), 4, y - 6);
  }
}

function stroke(context: SKRSContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

function degreesText(degrees: number, decimals: number, positive: string, negative: string): string {
  const text = Math.abs(degrees).toFixed(decimals);
  return `${text}°${Number(text) === 0 ? "" : degrees > 0 ? positive : negative}`;
}

/**
 * Draws tiles over the whole view, which must have an integer zoom.
 *
 * @returns false when the tiles are unavailable; nothing was drawn then
 */
export async function drawTiles(context: SKRSContext2D, tiles: TileStore, view: View): Promise<boolean> {
  const size = worldSize(view.zoom);
  const { west, north, east, south } = extentOf(view);
  const perSide = 2 ** view.zoom;
  const placed: { tile: TilePosition; x: number; y: number }[] = [];
  for (let row = Math.max(0, Math.floor(north * perSide)); row < Math.min(perSide, south * perSide); row += 1) {
    for (let column = Math.floor(west * perSide); column < east * perSide; column += 1) {
      const tile = { zoom: view.zoom, column: ((column % perSide) + perSide) % perSide, row };
      placed.push({
        tile,
        x: Math.round(column * TILE_SIZE - west * size),
        y: Math.round(row * TILE_SIZE - north * size),
      });
    }
  }
  const images = await tiles.images(placed.map(({ tile }) => tile));
  if (images === undefined) return false;
  for (const [index, image] of images.entries()) {
    const { x, y } = placed[index] ?? { x: 0, y: 0 };
    context.drawImage(image, x, y, TILE_SIZE, TILE_SIZE);
  }
  return true;
}

/** Draws marks and labels with the sensors' current values. A mark has the colour of its highest value. */
export function drawMarks(
  context: SKRSContext2D,
  marks: readonly SceneMark[],
  current: ReadonlyMap<string, Reading>,
  texts: PictureTexts,
): void {
  for (const mark of marks) drawLeader(context, mark);
  // The most important mark is drawn last, so that it is on top.
  for (const mark of marks.toReversed()) drawMark(context, mark, current);
  for (const { placed, forms } of marks) {
    const form = placed === undefined ? undefined : forms[placed.size];
    if (placed !== undefined && form !== undefined) drawLabel(context, form, placed.box, current, texts);
  }
}

function drawLeader(context: SKRSContext2D, { x, y, placed }: SceneMark): void {
  if (placed?.leader === undefined) return;
  for (const [colour, width] of [
    ["#ffffffcc", 3],
    ["#3a444b", 1],
  ] as const) {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(placed.leader.x, placed.leader.y);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}

function drawMark(
  context: SKRSContext2D,
  { x, y, radius, sensors }: SceneMark,
  current: ReadonlyMap<string, Reading>,
): void {
  const values = sensors.flatMap(({ key }) => current.get(key)?.value ?? []);
  const category = values.length === 0 ? undefined : airQuality(Math.max(...values)).category;
  context.beginPath();
  context.arc(x, y, radius - 0.5, 0, 2 * Math.PI);
  context.fillStyle = category === undefined ? NO_VALUE_COLOUR : CATEGORY_COLOURS[category];
  context.globalAlpha = category === undefined ? 0.6 : 1;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = "#ffffff";
  context.lineWidth = 2.5;
  context.stroke();
  context.strokeStyle = "#2b343a";
  context.lineWidth = 1;
  context.stroke();
  if (sensors.length === 1) return;
  context.font = font(radius > 12 ? 11 : 10, "bold");
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = category === undefined ? "#000000" : CATEGORY_TEXT_COLOURS[category];
  context.fillText(String(sensors.length), x, y + 0.5, 2 * radius - 4);
}

/** A sensor in a picture. */
interface Sensor {
  /** As returned by `sensorOf`. */
  readonly key: string;
  readonly caption: string;
  readonly position: Position;
  /** The highest shown value, in micrograms per cubic metre. */
  readonly peak: number;
  /** The longest text of a shown value. */
  readonly longest: string;
}

/** One mark of the picture and its label. */
interface SceneMark extends Labelled {
  readonly sensors: readonly [Sensor, ...Sensor[]];
  readonly forms: readonly LabelForm[];
  readonly placed: Placed | undefined;
}

/** Marks closer than this many pixels are merged. */
const CLUSTER_DISTANCE = 24;
const RADIUS = 8;
/** Maximum number of labels that are positioned; with more there is no room left. */
const MAX_LABELS = 250;

/** Returns the sensors of readings; the newest reading of a sensor determines caption and position. */
export function sensorsOf(readings: Iterable<Reading>): Sensor[] {
  const bySensor = Map.groupBy(readings, sensorOf);
  return [...bySensor].flatMap(([key, own]) => {
    const [newest] = own.toSorted((one, other) => other.time - one.time);
    if (newest === undefined) return [];
    const texts = own.map(({ value }) => concentrationText(value));
    return {
      key,
      caption: newest.title === "" ? newest.device : newest.title,
      position: newest.position,
      peak: Math.max(...own.map(({ value }) => value)),
      longest: texts.reduce((longest, text) => (text.length > longest.length ? text : longest)),
    };
  });
}

/** Positions marks and labels; the highest values come first. */
export function arrange(
  context: SKRSContext2D,
  sensors: readonly Sensor[],
  view: View,
  taken: readonly Box[],
): SceneMark[] {
  const visible = sensors
    .map((sensor) => ({ sensor, pixel: pixelOf(view, project(sensor.position)) }))
    .filter(({ pixel: { x, y } }) => x > -RADIUS && y > -RADIUS && x < view.width + RADIUS && y < view.height + RADIUS)
    .sort((one, other) => other.sensor.peak - one.sensor.peak);
  const marks = clustersOf(visible, ({ pixel }) => pixel, CLUSTER_DISTANCE).map(
    ({ x, y, members: [first, ...others] }, rank) => {
      const members: [Sensor, ...Sensor[]] = [first.sensor, ...others.map(({ sensor }) => sensor)];
      const forms = rank < MAX_LABELS ? formsOf(context, members) : [];
      return { x, y, radius: radiusOf(members.length), sensors: members, forms, sizes: forms.map(labelSize) };
    },
  );
  const layout = layOut(marks, { x: 3, y: 3, width: view.width - 6, height: view.height - 6 }, { taken });
  return marks.map((mark, index) => ({ ...mark, placed: layout[index] }));
}

function radiusOf(sensors: number): number {
  return sensors === 1 ? RADIUS : RADIUS + 2 + Math.min(6, Math.log2(sensors));
}

/** Returns the possible forms of a label, the fullest first. */
function formsOf(context: SKRSContext2D, sensors: readonly Sensor[]): LabelForm[] {
  const rows = (count: number, withCaption: boolean): LabelForm => ({
    rows: sensors.slice(0, count).map(({ key, longest, caption }) => {
      const shown = withCaption ? shortCaption(context, caption) : { text: "", width: 0 };
      return { sensor: key, longest, caption: shown.text, captionWidth: shown.width };
    }),
    more: Math.max(0, sensors.length - count),
  });
  if (sensors.length === 1) return [rows(1, true), rows(1, false)];
  return [rows(4, true), rows(2, true), rows(1, false)];
}
