import type { Position } from "../air-quality/reading.ts";
import { type MapPoint, project, TILE_SIZE, worldSize } from "./mercator.ts";

/** A rectangle of pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A pixel of a picture, from its upper left corner; may be a fraction, or outside. */
export interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** The part of the world in a picture. */
export interface View extends Size {
  readonly centre: MapPoint;
  /** As map tiles count it; may be a fraction. */
  readonly zoom: number;
}

/** Options of fitting positions. */
export interface FitOptions {
  /** Pixels to be left free on every side. */
  readonly padding: number;
  /** The zoom to stop at, however near to each other the places are. */
  readonly maxZoom: number;
  /** Whether the zoom has to be a whole number, as tiles need it. */
  readonly wholeZoom?: boolean;
}

/** The view without positions. */
const WHOLE_WORLD: readonly Position[] = [
  { lng: -170, lat: 76 },
  { lng: 170, lat: -56 },
];

/** The view with the highest zoom that has all places in it; it may lie across the date line. */
export function fitView(
  places: readonly Position[],
  { width, height }: Size,
  { padding, maxZoom, wholeZoom }: FitOptions,
): View {
  const points = (places.length === 0 ? WHOLE_WORLD : places).map(project);
  const [west, spanX] = places.length === 0 ? [0, 1] : narrowestSpan(points.map(({ x }) => x));
  const ys = points.map(({ y }) => y);
  const north = Math.min(...ys);
  const spanY = Math.max(...ys) - north;
  const fitting = Math.min(zoomOf(width - 2 * padding, spanX), zoomOf(height - 2 * padding, spanY), maxZoom);
  const zoom = Math.max(0, wholeZoom === true ? Math.floor(fitting) : fitting);
  // Beyond the poles there is nothing to be seen.
  const halfHeight = Math.min(0.5, height / worldSize(zoom) / 2);
  const y = Math.max(halfHeight, Math.min(1 - halfHeight, north + spanY / 2));
  return { width, height, zoom, centre: { x: wrap(west + spanX / 2), y } };
}

/** Where in a view's picture a point of the map is, in the copy of the world that is nearest to its middle. */
export function pixelOf({ centre, zoom, width, height }: View, { x, y }: MapPoint): Pixel {
  const size = worldSize(zoom);
  const distance = x - centre.x;
  return { x: width / 2 + (distance - Math.round(distance)) * size, y: height / 2 + (y - centre.y) * size };
}

/** A part of the map, in points of the map; `west` and `east` go on beyond 0 and 1 where the world begins anew. */
export interface Extent {
  readonly west: number;
  readonly north: number;
  readonly east: number;
  readonly south: number;
}

/** Returns the area of a view. */
export function extentOf({ centre, zoom, width, height }: View): Extent {
  const size = worldSize(zoom);
  const [halfX, halfY] = [width / size / 2, height / size / 2];
  return { west: centre.x - halfX, north: centre.y - halfY, east: centre.x + halfX, south: centre.y + halfY };
}

/** Where on the round world the shortest stretch with all points begins, and how long it is. */
function narrowestSpan(xs: readonly number[]): [west: number, span: number] {
  const sorted = xs.map(wrap).sort((one, other) => one - other);
  let west = sorted[0] ?? 0;
  let widestGap = 0;
  for (const [index, x] of sorted.entries()) {
    const before = index === 0 ? (sorted.at(-1) ?? x) - 1 : (sorted[index - 1] ?? x);
    if (x - before > widestGap) [west, widestGap] = [x, x - before];
  }
  return [west, 1 - widestGap];
}

function zoomOf(pixels: number, span: number): number {
  return Math.log2(pixels / TILE_SIZE / span);
}

function wrap(x: number): number {
  return x - Math.floor(x);
}
