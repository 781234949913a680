import type { SKRSContext2D } from "@napi-rs/canvas";
import { project, unproject, worldSize } from "../map/mercator.ts";
import { extentOf, type View } from "../map/view.ts";
import { font } from "./fonts.ts";

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
