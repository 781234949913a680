import type { Category } from "./category.ts";

/** A range of concentrations and its range of the index. */
export interface Breakpoint {
  readonly category: Category;
  /** Lowest concentration, in tenths of a microgram per cubic metre. */
  readonly from: number;
  /** Highest concentration, in tenths of a microgram per cubic metre. */
  readonly to: number;
  readonly lowestIndex: number;
  readonly highestIndex: number;
}

/**
 * The US EPA's breakpoints for PM2.5 as of May 2024. The last category has no upper end; the EPA interpolates up to an
 * index of 500.
 */
export const PM25_BREAKPOINTS: readonly [Breakpoint, ...Breakpoint[]] = [
  { category: "good", from: 0, to: 90, lowestIndex: 0, highestIndex: 50 },
  { category: "moderate", from: 91, to: 354, lowestIndex: 51, highestIndex: 100 },
  { category: "unhealthy-sensitive", from: 355, to: 554, lowestIndex: 101, highestIndex: 150 },
  { category: "unhealthy", from: 555, to: 1254, lowestIndex: 151, highestIndex: 200 },
  { category: "very-unhealthy", from: 1255, to: 2254, lowestIndex: 201, highestIndex: 300 },
  { category: "hazardous", from: 2255, to: 3254, lowestIndex: 301, highestIndex: 500 },
];

/** Air quality of a PM2.5 concentration. */
export interface AirQuality {
  readonly category: Category;
  /** 0 to 500. */
  readonly index: number;
  /** Whether the concentration exceeds the end of the index. */
  readonly beyond: boolean;
}

/**
 * Computes the air-quality index of a concentration: truncated to a tenth, interpolated between the breakpoints,
 * rounded.
 *
 * @param concentration Micrograms per cubic metre
 * @throws RangeError for a concentration that is negative or no number
 */
export function airQuality(concentration: number): AirQuality {
  if (!(concentration >= 0)) throw new RangeError(`a concentration of ${concentration} has no index`);
  const tenths = Math.trunc(concentration * 10);
  for (const { category, from, to, lowestIndex, highestIndex } of PM25_BREAKPOINTS) {
    if (tenths > to) continue;
    const index = Math.round(lowestIndex + ((highestIndex - lowestIndex) * (tenths - from)) / (to - from));
    return { category, index, beyond: false };
  }
  return { category: "hazardous", index: 500, beyond: true };
}

/** Formats the index: `57`, and `500+` beyond its end. */
export function indexText({ index, beyond }: AirQuality): string {
  return beyond ? `${index}+` : String(index);
}

/**
 * Formats a concentration: as an integer, or with its tenths; never with more digits than the sensor's value.
 *
 * @param concentration Micrograms per cubic metre
 */
export function concentrationText(concentration: number): string {
  return String(Math.round(concentration * 10) / 10);
}
