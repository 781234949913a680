import type { SKRSContext2D } from "@napi-rs/canvas";
import { CATEGORY_COLOURS, CATEGORY_TEXT_COLOURS } from "../air-quality/category.ts";
import { airQuality } from "../air-quality/index-of-pm25.ts";
import type { Reading } from "../air-quality/reading.ts";
import { font } from "./fonts.ts";
import { drawLabel, NO_VALUE_COLOUR } from "./label.ts";
import type { SceneMark } from "./scene.ts";
import type { PictureTexts } from "./texts.ts";

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
