import L from "leaflet";
import fine from "world-atlas/countries-50m.json?url";
import coarse from "world-atlas/countries-110m.json?url";
import { type BaseMap, baseMap, type Countries } from "../../../air-quality/map/base-map.ts";
import { type BaseColours, drawBase } from "../../../air-quality/map/draw-base.ts";
import { TILE_SIZE } from "../../../air-quality/map/mercator.ts";

/** The finer map is loaded from this zoom level. */
const FINE_FROM_ZOOM = 4;
const loaded = new Map<string, Promise<BaseMap>>();

/** The built-in map, drawn in the browser without another server. */
export class PlainLayer extends L.GridLayer {
  #colours: BaseColours;

  constructor(colours: BaseColours) {
    super({ attribution: "Natural Earth", minZoom: 0, maxZoom: 18 });
    this.#colours = colours;
  }

  /** Redraws everything in other colours. */
  recolour(colours: BaseColours): void {
    if (colours === this.#colours) return;
    this.#colours = colours;
    this.redraw();
  }

  override createTile({ x, y, z }: L.Coords, done: L.DoneCallback): HTMLElement {
    const canvas = document.createElement("canvas");
    const ratio = devicePixelRatio;
    canvas.width = canvas.height = TILE_SIZE * ratio;
    const perSide = 2 ** z;
    const view = {
      width: TILE_SIZE,
      height: TILE_SIZE,
      zoom: z,
      centre: { x: (x + 0.5) / perSide, y: (y + 0.5) / perSide },
    };
    load(z >= FINE_FROM_ZOOM ? fine : coarse).then(
      (base) => {
        const pen = canvas.getContext("2d");
        if (pen !== null) {
          pen.scale(ratio, ratio);
          drawBase(pen, base, view, this.#colours);
        }
        done(undefined, canvas);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), canvas),
    );
    return canvas;
  }
}

function load(url: string): Promise<BaseMap> {
  const known = loaded.get(url);
  if (known !== undefined) return known;
  const loading = fetchMap(url);
  loaded.set(url, loading);
  // A failed load is retried with the next tile.
  loading.catch(() => loaded.delete(url));
  return loading;
}

async function fetchMap(url: string): Promise<BaseMap> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for the map`);
  // The file is a part of the product, built with it.
  const topology: Countries = await response.json();
  return baseMap(topology);
}
