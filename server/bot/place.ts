import type { Position } from "../readings/index.ts";

/** Why a text or a pair of numbers is no place. */
export type PlaceFault = "not_a_place" | "latitude_range" | "longitude_range";

const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,15})?`;
const PAIR = new RegExp(String.raw`^\s*(${NUMBER})\s*°?\s*([NS])?\s*[,;\s]\s*(${NUMBER})\s*°?\s*([EW])?\s*$`, "iu");

/** Reads typed coordinates, latitude first: `13.7563, 100.5018`, also with `°` and `N`, `S`, `E`, `W`. */
export function parsePlace(text: string): Position | PlaceFault {
  const [, lat, south, lng, west] = PAIR.exec(text) ?? [];
  if (lat === undefined || lng === undefined) return "not_a_place";
  return checkedPlace({ lat: signed(lat, south, "S"), lng: signed(lng, west, "W") });
}

/** A place as it is, unless there is no such place. */
export function checkedPlace({ lat, lng }: Position): Position | PlaceFault {
  if (!(Math.abs(lat) <= 90)) return "latitude_range";
  if (!(Math.abs(lng) <= 180)) return "longitude_range";
  return { lat, lng };
}

function signed(digits: string, letter: string | undefined, negative: string): number {
  const value = Number(digits);
  return letter?.toUpperCase() === negative ? -value : value;
}
