import type { Reading } from "./reading.ts";

export const HOUR_MILLISECONDS = 3_600_000;
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/**
 * What tells one sensor from another: who sends, with which device, under which caption. Many call their device after
 * its kind, and the caption is what tells two of a kind apart.
 */
export function sensorOf({ sender, device, title }: Pick<Reading, "sender" | "device" | "title">): string {
  return JSON.stringify([sender.toLowerCase(), device, title]);
}

/**
 * The value that each sensor had at a moment: its newest one, unless that is too old. Newest first.
 *
 * @param at Milliseconds since 1970
 * @param maxAge Milliseconds
 */
export function currentReadings<Found extends Reading>(readings: Iterable<Found>, at: number, maxAge: number): Found[] {
  const newest = new Map<string, Found>();
  for (const reading of readings) {
    if (reading.time > at || at - reading.time > maxAge) continue;
    const sensor = sensorOf(reading);
    const other = newest.get(sensor);
    if (other === undefined || reading.time > other.time) newest.set(sensor, reading);
  }
  return [...newest.values()].sort((one, other) => other.time - one.time);
}

/**
 * What one sensor said within a span of time, oldest first.
 *
 * @param sensor As {@link sensorOf} gives it
 */
export function sensorSeries<Found extends Reading>(
  readings: Iterable<Found>,
  sensor: string,
  from: number,
  to: number,
): Found[] {
  return [...readings]
    .filter((reading) => sensorOf(reading) === sensor && reading.time >= from && reading.time <= to)
    .sort((one, other) => one.time - other.time);
}

/** The values of the sensors at one time of a day. */
export interface Frame {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly readings: readonly Reading[];
}

/** Options of the frames of a day. */
export interface DayOptions {
  /** Last moment; milliseconds since 1970. */
  readonly end: number;
  /** Milliseconds after which a value is not shown any more. */
  readonly maxAge: number;
  /** How many moments, an equal time apart; default 24. */
  readonly count?: number;
}

/** The day before a moment as a row of moments, oldest first; the last one is the moment itself. */
export function dayFrames(readings: readonly Reading[], { end, maxAge, count = 24 }: DayOptions): Frame[] {
  return Array.from({ length: count }, (_, index) => {
    const time = end - ((count - 1 - index) * DAY_MILLISECONDS) / count;
    return { time, readings: currentReadings(readings, time, maxAge) };
  });
}
