import type { SKRSContext2D } from "@napi-rs/canvas";
import { CATEGORY_COLOURS, CATEGORY_NAMES, type Language } from "../category.ts";
import { type Breakpoint, PM25_BREAKPOINTS } from "../index-of-pm25.ts";
import type { Box } from "../map/label-layout.ts";
import { font } from "./label.ts";
import { PICTURE_TEXTS } from "./texts.ts";

const ITEM_HEIGHT = 32;
const PADDING = 10;
const SWATCH = 16;
const GAP = 8;
const NAME_FONT = font(12, "bold");
const RANGE_FONT = font(11);
/** Numbers of columns that six items fill evenly. */
const COLUMNS = [6, 3, 2] as const;

/** Returns the number of columns of the legend in a picture of a width. */
function columnsIn(context: SKRSContext2D, width: number, language: Language): number {
  const widest = Math.max(
    ...PM25_BREAKPOINTS.flatMap((breakpoint) => {
      context.font = NAME_FONT;
      const name = context.measureText(CATEGORY_NAMES[language][breakpoint.category]).width;
      context.font = RANGE_FONT;
      return [name, context.measureText(rangeText(breakpoint, language)).width];
    }),
  );
  const item = SWATCH + GAP + widest + 2 * GAP;
  return COLUMNS.find((columns) => columns * item <= width - 2 * PADDING) ?? 2;
}

/** Returns the height of the legend in a picture of a width, in pixels. */
export function legendHeight(context: SKRSContext2D, width: number, language: Language): number {
  return Math.ceil(PM25_BREAKPOINTS.length / columnsIn(context, width, language)) * ITEM_HEIGHT + 2 * PADDING;
}

/** Draws the legend of the colours. */
export function drawLegend(context: SKRSContext2D, { x, y, width, height }: Box, language: Language): void {
  context.fillStyle = "#ffffff";
  context.fillRect(x, y, width, height);
  context.fillStyle = "#d0d5d9";
  context.fillRect(x, y, width, 1);
  const columns = columnsIn(context, width, language);
  const rows = Math.ceil(PM25_BREAKPOINTS.length / columns);
  const itemWidth = (width - 2 * PADDING) / columns;
  for (const [index, breakpoint] of PM25_BREAKPOINTS.entries()) {
    // Column by column, the reading order of a legend.
    const left = x + PADDING + Math.floor(index / rows) * itemWidth;
    const top = y + PADDING + (index % rows) * ITEM_HEIGHT;
    drawItem(context, breakpoint, language, left, top, itemWidth - GAP);
  }
}

function drawItem(
  context: SKRSContext2D,
  breakpoint: Breakpoint,
  language: Language,
  x: number,
  y: number,
  width: number,
): void {
  const { category } = breakpoint;
  context.beginPath();
  context.roundRect(x + 0.5, y + 6.5, SWATCH, SWATCH, 3);
  context.fillStyle = CATEGORY_COLOURS[category];
  context.fill();
  context.strokeStyle = "#00000066";
  context.lineWidth = 1;
  context.stroke();
  const textX = x + SWATCH + GAP;
  const textWidth = width - SWATCH - GAP;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = NAME_FONT;
  context.fillStyle = "#1d2429";
  context.fillText(CATEGORY_NAMES[language][category], textX, y + 8, textWidth);
  context.font = RANGE_FONT;
  context.fillStyle = "#525c64";
  context.fillText(rangeText(breakpoint, language), textX, y + 23, textWidth);
}

function rangeText({ category, from, to, lowestIndex, highestIndex }: Breakpoint, language: Language): string {
  const { unit, index } = PICTURE_TEXTS[language];
  const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, useGrouping: false });
  const [low, high] = [tenths.format(from / 10), tenths.format(to / 10)];
  return category === "hazardous"
    ? `${low}+ ${unit} · ${index} ${lowestIndex}+`
    : `${low}–${high} ${unit} · ${index} ${lowestIndex}–${highestIndex}`;
}
