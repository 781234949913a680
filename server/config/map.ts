import type { Fault } from "./credentials.ts";
import type { EnvironmentValues } from "./environment.ts";

/** Settings of the air-quality map. */
export interface MapConfig {
  /** Address and attribution of the tiles; without them there is a plain map. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  readonly readingMaxAgeMilliseconds: number;
}

/** Parses the settings of the map. Tiles require their provider's attribution. */
export function mapConfig(
  { TILE_URL, TILE_ATTRIBUTION, READING_MAX_AGE }: EnvironmentValues,
  faults: Fault[],
): MapConfig {
  if (TILE_URL !== undefined && TILE_ATTRIBUTION === undefined)
    faults.push({ path: "TILE_ATTRIBUTION", message: "is needed with TILE_URL" });
  if (TILE_URL === undefined && TILE_ATTRIBUTION !== undefined)
    faults.push({ path: "TILE_URL", message: "is needed with TILE_ATTRIBUTION" });
  return {
    tiles:
      TILE_URL === undefined || TILE_ATTRIBUTION === undefined
        ? undefined
        : { template: TILE_URL, attribution: TILE_ATTRIBUTION },
    readingMaxAgeMilliseconds: READING_MAX_AGE * 1000,
  };
}
