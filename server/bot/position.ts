import type { Position } from "../../air-quality/index.ts";

/** Reasons to reject a position. */
export type PositionFault = "not_a_position" | "latitude_range" | "longitude_range";

const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,15})?`;
const PAIR = new RegExp(String.raw`^\s*(${NUMBER})\s*°?\s*([NS])?\s*[,;\s]\s*(${NUMBER})\s*°?\s*([EW])?\s*$`, "iu");

/** Parses coordinates, latitude first: `13.7563, 100.5018`, also with `°` and `N`, `S`, `E`, `W`. */
export function parsePosition(text: string): Position | PositionFault {
  const [, lat, south, lng, west] = PAIR.exec(text) ?? [];
  if (lat === undefined || lng === undefined) return "not_a_position";
  return checkPosition({ lat: signed(lat, south, "S"), lng: signed(lng, west, "W") });
}

/** Checks the ranges of a position. */
export function checkPosition({ lat, lng }: Position): Position | PositionFault {
  if (!(Math.abs(lat) <= 90)) return "latitude_range";
  if (!(Math.abs(lng) <= 180)) return "longitude_range";
  return { lat, lng };
}

function signed(digits: string, letter: string | undefined, negative: string): number {
  const value = Number(digits);
  return letter?.toUpperCase() === negative ? -value : value;
}
