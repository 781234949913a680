import type { MapOptions, PictureOptions } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import type { TileSource } from "./tile-store.ts";

/** Start data of the drawing thread. */
export interface WorkerData {
  readonly tiles: TileSource | undefined;
}

/** A picture to be drawn. */
export type Picture =
  | { readonly kind: "map"; readonly readings: readonly Reading[]; readonly options: MapOptions }
  | { readonly kind: "day"; readonly frames: readonly Frame[]; readonly options: PictureOptions };

/** A request to the drawing thread. */
export type Job = Picture & { readonly id: number };

/** A response of the drawing thread. */
export type JobAnswer =
  { readonly id: number; readonly bytes: Uint8Array } | { readonly id: number; readonly error: Error };
