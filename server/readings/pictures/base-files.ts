import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type BaseMap, baseMap, type Countries } from "../map/base-map.ts";

/** Natural Earth's scales, the finest last, and the lowest zoom of each. */
const SCALES = [
  { fromZoom: 0, file: "countries-110m.json" },
  { fromZoom: 3, file: "countries-50m.json" },
  { fromZoom: 5.5, file: "countries-10m.json" },
] as const;

const read = new Map<string, BaseMap>();

/** Returns the base map for a zoom; each file is read once. */
export function baseMapFor(zoom: number): BaseMap {
  const { file } = SCALES.findLast(({ fromZoom }) => zoom >= fromZoom) ?? SCALES[0];
  const known = read.get(file);
  if (known !== undefined) return known;
  const { resolve } = createRequire(import.meta.url);
  // The file is a part of the product, in a fixed version.
  const topology: Countries = JSON.parse(readFileSync(resolve(`world-atlas/${file}`), "utf8"));
  const base = baseMap(topology);
  read.set(file, base);
  return base;
}
