import type { Position } from "../air-quality/reading.ts";

/** A place on the Web Mercator map of the world: both 0 to 1, from the north-west corner. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** Pixels that the whole world is wide at zoom 0, as map tiles have it. */
export const TILE_SIZE = 256;
/** The map ends here, in degrees, so that it is as high as it is wide. */
export const MAX_LATITUDE = 85.051_128_78;

const EARTH_CIRCUMFERENCE_METRES = 40_075_016.686;

/** Where a place is on the map; what lies nearer to a pole than the map goes is put on its edge. */
export function project({ lng, lat }: Position): MapPoint {
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180);
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** The place at a point of the map, with a longitude of -180 up to 180. */
export function unproject({ x, y }: MapPoint): Position {
  return { lng: (x - Math.floor(x) - 0.5) * 360, lat: (Math.atan(Math.sinh((1 - 2 * y) * Math.PI)) * 180) / Math.PI };
}

/** Pixels that the whole world is wide at a zoom. */
export function worldSize(zoom: number): number {
  return TILE_SIZE * 2 ** zoom;
}

/** Metres on the ground that one pixel covers. */
export function metresPerPixel(latitude: number, zoom: number): number {
  return (EARTH_CIRCUMFERENCE_METRES * Math.cos((latitude * Math.PI) / 180)) / worldSize(zoom);
}
