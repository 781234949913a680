import type { SKRSContext2D } from "@napi-rs/canvas";
import { concentrationText } from "../air-quality/index-of-pm25.ts";
import type { Position, Reading } from "../air-quality/reading.ts";
import { sensorOf } from "../air-quality/readings.ts";
import { clustersOf } from "../map/clusters.ts";
import { type Box, type Labelled, layOut, type Placed } from "../map/label-layout.ts";
import { project } from "../map/mercator.ts";
import { pixelOf, type View } from "../map/view.ts";
import { labelSize, type LabelForm, shortCaption } from "./label.ts";

/** A sensor in a picture. */
export interface Sensor {
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
export interface SceneMark extends Labelled {
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
