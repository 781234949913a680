import type { Reading } from "./reading.ts";

export const HOUR_MILLISECONDS = 3_600_000;
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

/**
 * Returns the identity of a sensor: sender, device and caption. Many senders name a device after its model; the caption
 * distinguishes two devices of a model.
 */
export function sensorOf({ sender, device, title }: Pick<Reading, "sender" | "device" | "title">): string {
  // Computed for each reading of a map: shorter than JSON, and as unambiguous.
  return `${sender.toLowerCase()} ${device.length} ${device} ${title}`;
}

/**
 * Returns the value of each sensor at a time: its newest one, unless that is too old. Newest first.
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
 * Returns the values of one sensor within a time range, oldest first.
 *
 * @param sensor As returned by {@link sensorOf}
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

/** Frames of a day. */
const FRAMES = 24;

/** Returns the times of the frames of the day before a time, oldest first; the last one is the time itself. */
export function frameTimes(end: number): number[] {
  return Array.from({ length: FRAMES }, (_, index) => end - ((FRAMES - 1 - index) * DAY_MILLISECONDS) / FRAMES);
}
