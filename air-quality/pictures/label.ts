import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import { libraryFile } from "../../server/kit/program-files.ts";
import { CATEGORY_COLOURS, CATEGORY_TEXT_COLOURS } from "../category.ts";
import { airQuality, concentrationText } from "../index-of-pm25.ts";
import type { Reading } from "../reading.ts";
import type { Box } from "../map/label-layout.ts";
import type { Size } from "../map/view.ts";
import type { PictureTexts } from "./texts.ts";

/** The bundled font, because a machine can have no fonts. */
export const FONT_FAMILY = "Sealbook Map";

const FILES = ["DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"] as const;

/** Registers the font with the canvas. Missing characters come from fonts of the system, if there are any. */
export function registerFonts(): void {
  for (const file of FILES) {
    const path = libraryFile(`dejavu-fonts-ttf/ttf/${file}`);
    if (GlobalFonts.registerFromPath(path, FONT_FAMILY) === null) throw new Error(`${path} is no font`);
  }
}

/** Returns a font for the canvas. */
export function font(pixels: number, weight: "normal" | "bold" = "normal"): string {
  return `${weight} ${pixels}px "${FONT_FAMILY}"`;
}

/** A line of a label: a value, and the name of its sensor. */
interface LabelRow {
  readonly sensor: string;
  /** The longest possible text of the value: the size of the label does not depend on the value. */
  readonly longest: string;
  readonly caption: string;
  readonly captionWidth: number;
}

/** The content of a label. */
export interface LabelForm {
  readonly rows: readonly LabelRow[];
  /** Number of sensors without a row in the label. */
  readonly more: number;
}

const ROW_HEIGHT = 18;
const PADDING = 3;
const GAP = 5;
const VALUE_FONT = font(12, "bold");
const CAPTION_FONT = font(12);
const DIGIT_WIDTH = 8;
const MAX_CAPTION_WIDTH = 150;
/** Maximum characters of a caption; longer ones never fit. */
const MAX_CAPTION_CHARACTERS = 80;
/** The colour of a sensor without a current value. */
export const NO_VALUE_COLOUR = "#9aa3a9";

/** Shortens a caption to one line of the maximum width. */
export function shortCaption(context: SKRSContext2D, caption: string): { text: string; width: number } {
  context.font = CAPTION_FONT;
  const characters = [...caption.replace(/[\s\p{C}]+/gu, " ").trim()];
  const whole = characters.slice(0, MAX_CAPTION_CHARACTERS).join("");
  const width = context.measureText(whole).width;
  if (width <= MAX_CAPTION_WIDTH) return { text: whole, width };
  for (let length = Math.min(characters.length, MAX_CAPTION_CHARACTERS) - 1; length > 0; length -= 1) {
    const text = `${characters.slice(0, length).join("").trimEnd()}…`;
    const shorter = context.measureText(text).width;
    if (shorter <= MAX_CAPTION_WIDTH) return { text, width: shorter };
  }
  return { text: "", width: 0 };
}

function pillWidth(text: string): number {
  return Math.max(2, text.length) * DIGIT_WIDTH + 8;
}

/** Returns the size of a label in pixels. */
export function labelSize({ rows, more }: LabelForm): Size {
  const pill = Math.max(...rows.map(({ longest }) => pillWidth(longest)));
  const caption = Math.max(...rows.map(({ captionWidth }) => captionWidth));
  const alone = rows.length === 1 && caption === 0;
  const width = pill + (caption > 0 ? GAP + caption : 0) + 2 * PADDING + (alone && more > 0 ? 26 : 0);
  return {
    width: Math.ceil(Math.max(width, more > 0 && !alone ? 76 : 0)),
    height: (rows.length + (more > 0 && !alone ? 1 : 0)) * ROW_HEIGHT + 2,
  };
}

/** Draws a label into its box. */
export function drawLabel(
  context: SKRSContext2D,
  form: LabelForm,
  box: Box,
  current: ReadonlyMap<string, Reading>,
  texts: PictureTexts,
): void {
  const { rows, more } = form;
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, 5);
  context.fillStyle = "#ffffffe6";
  context.fill();
  context.strokeStyle = "#00000033";
  context.lineWidth = 0.75;
  context.stroke();
  context.textBaseline = "middle";
  const pill = Math.max(...rows.map(({ longest }) => pillWidth(longest)));
  for (const [index, { sensor, caption }] of rows.entries()) {
    const middle = box.y + 1 + ROW_HEIGHT * (index + 0.5);
    drawValue(context, current.get(sensor), box.x + PADDING, middle, pill);
    context.font = CAPTION_FONT;
    context.textAlign = "left";
    context.fillStyle = "#1d2429";
    context.fillText(caption, box.x + PADDING + pill + GAP, middle + 0.5);
  }
  if (more === 0) return;
  const alone = rows.length === 1 && rows[0]?.caption === "";
  context.font = font(11);
  context.textAlign = "left";
  context.fillStyle = "#525c64";
  if (alone) context.fillText(`+${more}`, box.x + PADDING + pill + GAP - 1, box.y + box.height / 2 + 0.5, 24);
  else context.fillText(texts.more(more), box.x + PADDING + 3, box.y + 1 + ROW_HEIGHT * (rows.length + 0.5));
}

function drawValue(
  context: SKRSContext2D,
  reading: Reading | undefined,
  x: number,
  middle: number,
  width: number,
): void {
  const category = reading === undefined ? undefined : airQuality(reading.value).category;
  context.beginPath();
  context.roundRect(x, middle - 7.5, width, 15, 4);
  context.fillStyle = category === undefined ? NO_VALUE_COLOUR : CATEGORY_COLOURS[category];
  context.fill();
  context.strokeStyle = "#00000055";
  context.lineWidth = 0.75;
  context.stroke();
  context.font = VALUE_FONT;
  context.textAlign = "center";
  context.fillStyle = category === undefined ? "#000000" : CATEGORY_TEXT_COLOURS[category];
  context.fillText(
    reading === undefined ? "–" : concentrationText(reading.value),
    x + width / 2,
    middle + 0.5,
    width - 4,
  );
}
