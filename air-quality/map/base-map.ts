import type { MultiPolygon, Polygon } from "geojson";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { project } from "./mercator.ts";
import type { Extent } from "./view.ts";

/** Natural Earth's countries and their land, in the format of the package `world-atlas`. */
export type Countries = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>;

/** A line on the map: x and y of each of its points in turn. */
export type MapLine = Float64Array;

/** A shape on the map and its extent, which may continue beyond the map's edge. */
export interface Shape {
  readonly extent: Extent;
  /** Lines, or rings; a ring within another is a hole. */
  readonly lines: readonly MapLine[];
}

/** The base map below the readings. */
export interface BaseMap {
  readonly land: readonly Shape[];
  readonly coasts: readonly Shape[];
  readonly borders: readonly Shape[];
}

/** Projects countries onto the map. */
export function baseMap(topology: Countries): BaseMap {
  const { countries, land } = topology.objects;
  const polygons = feature(topology, land).features.flatMap(({ geometry }) =>
    geometry.type === "Polygon" || geometry.type === "MultiPolygon"
      ? polygonsOf(geometry).map((rings) => rings.map(lineOf))
      : [],
  );
  return {
    land: polygons.map((rings) => shapeOf(rings.map(closedAtPole))),
    coasts: polygons.flatMap((rings) => rings.map((ring) => shapeOf([ring]))),
    borders: mesh(topology, countries, (one, other) => one !== other).coordinates.map((line) =>
      shapeOf([lineOf(line)]),
    ),
  };
}

function polygonsOf(geometry: Polygon | MultiPolygon): Polygon["coordinates"][] {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

/** Projects a line onto the map. A line across the date line continues beyond the map's edge. */
function lineOf(positions: readonly (readonly number[])[]): MapLine {
  const line = new Float64Array(positions.length * 2);
  let revolutions = 0;
  let before = positions[0]?.[0] ?? 0;
  for (const [index, [lng = 0, lat = 0]] of positions.entries()) {
    if (Math.abs(lng - before) > 180) revolutions += lng < before ? 1 : -1;
    before = lng;
    const { x, y } = project({ lng, lat });
    line[2 * index] = x + revolutions;
    line[2 * index + 1] = y;
  }
  return line;
}

/** Closes a ring around a pole below the edge of the map: such a ring ends one world width from its start. */
function closedAtPole(ring: MapLine): MapLine {
  const first = ring[0] ?? 0;
  const last = ring[ring.length - 2] ?? 0;
  if (Math.abs(last - first) < 0.5) return ring;
  const pole = (ring[1] ?? 0) > 0.5 ? 1 : 0;
  return Float64Array.from([...ring, last, pole, first, pole]);
}

function shapeOf(lines: readonly MapLine[]): Shape {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of lines) {
    for (let index = 0; index < line.length; index += 2) {
      const x = line[index] ?? 0;
      const y = line[index + 1] ?? 0;
      west = Math.min(west, x);
      east = Math.max(east, x);
      north = Math.min(north, y);
      south = Math.max(south, y);
    }
  }
  return { extent: { west, north, east, south }, lines };
}
