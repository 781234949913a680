import type { Position } from "../reading.ts";

/** A position on the Web Mercator map of the world: both 0 to 1, from the north-west corner. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** Width of the whole world at zoom 0 in pixels, as for map tiles. */
export const TILE_SIZE = 256;
/** The latitude of the map's edge, in degrees, which makes the map square. */
export const MAX_LATITUDE = 85.051_128_78;

const EARTH_CIRCUMFERENCE_METRES = 40_075_016.686;

/** Projects a position onto the map; a position nearer to a pole than the map's edge is moved to the edge. */
export function project({ lng, lat }: Position): MapPoint {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180);
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** Returns the position of a point of the map, with a longitude of -180 up to 180. */
export function unproject({ x, y }: MapPoint): Position {
  return { lng: (x - Math.floor(x) - 0.5) * 360, lat: (Math.atan(Math.sinh((1 - 2 * y) * Math.PI)) * 180) / Math.PI };
}

/** Returns the width of the whole world at a zoom, in pixels. */
export function worldSize(zoom: number): number {
  return TILE_SIZE * 2 ** zoom;
}

/** Returns the metres on the ground per pixel. */
export function metresPerPixel(latitude: number, zoom: number): number {
  return (EARTH_CIRCUMFERENCE_METRES * Math.cos((latitude * Math.PI) / 180)) / worldSize(zoom);
}

/** A scale bar with a round distance. */
export interface ScaleBar {
  readonly metres: number;
  readonly pixels: number;
}

/** Returns the longest bar of 1, 2 or 5 times a power of ten metres within the maximum width. */
export function scaleBar(metresPerPixel: number, maxPixels: number): ScaleBar {
  const most = metresPerPixel * maxPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = power * ([5, 2].find((step) => step * power <= most) ?? 1);
  return { metres, pixels: metres / metresPerPixel };
}
