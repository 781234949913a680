import type { Position } from "../reading.ts";
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
  /** Zoom as for map tiles; may be a fraction. */
  readonly zoom: number;
}

/** Options of fitting positions. */
export interface FitOptions {
  /** Pixels to leave free on every side. */
  readonly padding: number;
  /** Maximum zoom, for positions that are close to each other. */
  readonly maxZoom: number;
  /** Whether the zoom must be an integer, as tiles require. */
  readonly wholeZoom?: boolean;
}

/** The view without positions. */
const WHOLE_WORLD: readonly Position[] = [
  { lng: -170, lat: 76 },
  { lng: 170, lat: -56 },
];

/** Returns the view with the highest zoom that includes all positions; it may cross the date line. */
export function fitView(
  positions: readonly Position[],
  { width, height }: Size,
  { padding, maxZoom, wholeZoom }: FitOptions,
): View {
  const points = (positions.length === 0 ? WHOLE_WORLD : positions).map(project);
  const [west, spanX] = positions.length === 0 ? [0, 1] : narrowestSpan(points.map(({ x }) => x));
  const ys = points.map(({ y }) => y);
  const north = Math.min(...ys);
  const spanY = Math.max(...ys) - north;
  const fitting = Math.min(zoomOf(width - 2 * padding, spanX), zoomOf(height - 2 * padding, spanY), maxZoom);
  const zoom = Math.max(0, wholeZoom === true ? Math.floor(fitting) : fitting);
  // There is no map beyond the poles.
  const halfHeight = Math.min(0.5, height / worldSize(zoom) / 2);
  const y = Math.max(halfHeight, Math.min(1 - halfHeight, north + spanY / 2));
  return { width, height, zoom, centre: { x: wrap(west + spanX / 2), y } };
}

/** Returns the pixel of a map point in a view's picture, in the copy of the world that is nearest to its centre. */
export function pixelOf({ centre, zoom, width, height }: View, { x, y }: MapPoint): Pixel {
  const size = worldSize(zoom);
  const distance = x - centre.x;
  return { x: width / 2 + (distance - Math.round(distance)) * size, y: height / 2 + (y - centre.y) * size };
}

/**
 * A part of the map, in map coordinates; `west` and `east` continue beyond 0 and 1 in the adjacent copies of the world.
 */
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

/** Returns the start and the length of the shortest range of longitudes that includes all points. */
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
