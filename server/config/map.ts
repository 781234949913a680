import type { Fault } from "./credentials.ts";
import type { EnvironmentValues } from "./environment.ts";

/** What the air-quality map is told. */
export interface MapConfig {
  /** Where tiles come from, and whose they are; without them there is a plain map. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  readonly readingMaxAgeMilliseconds: number;
}

/** Tiles and their attribution come together: a provider whose map is shown wants to be named. */
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
