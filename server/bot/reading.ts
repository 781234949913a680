import type { NewRecord } from "../records/index.ts";
import type { SensorForm } from "./form.ts";

/** Maximum PM2.5 reading in ug/m3. Higher values indicate a broken sensor or another unit. */
export const MAX_READING = 10_000;
/** Topic of records with PM2.5 readings. */
export const READING_TOPIC = "PM2.5";

/** Parses a PM2.5 value in ug/m3; returns `undefined` for invalid values. */
export function parseReading(text: string): number | undefined {
  const digits = /^\s*(\d{1,6}(?:[.,]\d{1,10})?)\s*$/u.exec(text)?.[1];
  const value = digits === undefined ? Number.NaN : Number(digits.replace(",", "."));
  return value <= MAX_READING ? value : undefined;
}

/**
 * Creates the record of a reading in the PM2.5 format.
 * @param account Address of the sending account, which with the device and the time forms the code
 * @param time Unix milliseconds
 */
export function readingRecord(
  account: string,
  { device, location, title }: SensorForm,
  sensorvalue: number,
  time: number,
): NewRecord {
  return {
    code: `${device} ${account.slice(0, 10)} ${new Date(time).toISOString()}`,
    topic: READING_TOPIC,
    payload: {
      sensorvalue,
      sensordevice: device,
      enrichment: { position: { lng: location.lng, lat: location.lat }, title },
    },
  };
}
