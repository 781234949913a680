import type { SKRSContext2D } from "@napi-rs/canvas";
import type { BaseMap, Shape } from "../domain/map/base-map.ts";
import { worldSize } from "../domain/map/mercator.ts";
import { extentOf, type Extent, type View } from "../domain/map/view.ts";

const OCEAN = "#d3e4ee";
const LAND = "#f5f2ea";
const COAST = "#86a5b6";
const BORDER = "#b9aca4";

/** Draws the plain base map over the whole view. */
export function drawBase(context: SKRSContext2D, base: BaseMap, view: View): void {
  context.fillStyle = OCEAN;
  context.fillRect(0, 0, view.width, view.height);
  context.lineJoin = "round";
  trace(context, view, base.land);
  context.fillStyle = LAND;
  context.fill("evenodd");
  // Closes the seams between polygons that lie beside each other.
  stroke(context, LAND, 0.8);
  trace(context, view, base.borders);
  stroke(context, BORDER, 1);
  trace(context, view, base.coasts);
  stroke(context, COAST, 1);
}

function stroke(context: SKRSContext2D, colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

/** Makes a path of what can be seen of shapes, in each copy of the world that the view touches. */
function trace(context: SKRSContext2D, view: View, shapes: readonly Shape[]): void {
  const size = worldSize(view.zoom);
  const extent = extentOf(view);
  context.beginPath();
  // A shape may go on into the next world to either side.
  for (let copy = Math.floor(extent.west) - 1; copy <= Math.floor(extent.east) + 1; copy += 1) {
    // Relative to the view: the canvas calculates with few digits.
    const toX = (x: number): number => view.width / 2 + (x + copy - view.centre.x) * size;
    const toY = (y: number): number => view.height / 2 + (y - view.centre.y) * size;
    for (const shape of shapes) {
      if (!touches(shape.extent, extent, copy)) continue;
      for (const line of shape.lines) {
        context.moveTo(toX(line[0] ?? 0), toY(line[1] ?? 0));
        for (let index = 2; index < line.length; index += 2) context.lineTo(toX(line[index] ?? 0), toY(line[index + 1] ?? 0));
      }
    }
  }
}

function touches(shape: Extent, view: Extent, copy: number): boolean {
  return shape.west + copy < view.east && shape.east + copy > view.west && shape.north < view.south && shape.south > view.north;
}
