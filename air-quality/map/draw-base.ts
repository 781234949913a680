import type { BaseMap, Shape } from "./base-map.ts";
import { worldSize } from "./mercator.ts";
import { extentOf, type Extent, type View } from "./view.ts";

/** The methods that a browser's and the server's canvas share. */
export interface Pen {
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  lineJoin: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  fill(rule: "evenodd"): void;
  stroke(): void;
}

/** Colours of the base map. */
export interface BaseColours {
  readonly ocean: string;
  readonly land: string;
  readonly coast: string;
  readonly border: string;
}

export const LIGHT_BASE: BaseColours = { ocean: "#d3e4ee", land: "#f5f2ea", coast: "#86a5b6", border: "#b9aca4" };
export const DARK_BASE: BaseColours = { ocean: "#101a20", land: "#232d32", coast: "#47606d", border: "#4a5257" };

/** Draws the plain base map over the whole view. */
export function drawBase(pen: Pen, base: BaseMap, view: View, colours: BaseColours = LIGHT_BASE): void {
  pen.fillStyle = colours.ocean;
  pen.fillRect(0, 0, view.width, view.height);
  pen.lineJoin = "round";
  trace(pen, view, base.land);
  pen.fillStyle = colours.land;
  pen.fill("evenodd");
  trace(pen, view, base.borders);
  stroke(pen, colours.border, 1);
  trace(pen, view, base.coasts);
  stroke(pen, colours.coast, 1);
}

function stroke(pen: Pen, colour: string, width: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}

/** Creates a path of the visible shapes, in each copy of the world within the view. */
function trace(pen: Pen, view: View, shapes: readonly Shape[]): void {
  const size = worldSize(view.zoom);
  const extent = extentOf(view);
  pen.beginPath();
  // A shape may continue into the next world to either side.
  for (let copy = Math.floor(extent.west) - 1; copy <= Math.floor(extent.east) + 1; copy += 1) {
    // Relative to the view: the canvas calculates with few digits.
    const toX = (x: number): number => view.width / 2 + (x + copy - view.centre.x) * size;
    const toY = (y: number): number => view.height / 2 + (y - view.centre.y) * size;
    for (const shape of shapes) {
      if (!touches(shape.extent, extent, copy)) continue;
      for (const line of shape.lines) {
        pen.moveTo(toX(line[0] ?? 0), toY(line[1] ?? 0));
        for (let index = 2; index < line.length; index += 2)
          pen.lineTo(toX(line[index] ?? 0), toY(line[index + 1] ?? 0));
      }
    }
  }
}

function touches(shape: Extent, view: Extent, copy: number): boolean {
  return (
    shape.west + copy < view.east &&
    shape.east + copy > view.west &&
    shape.north < view.south &&
    shape.south > view.north
  );
}
