import type { NewRecord } from "../records/index.ts";
import type { SensorForm } from "./form.ts";

/** The most that a PM2.5 reading can be, in ug/m3: more is a broken sensor or another unit. */
export const MAX_READING = 10_000;
/** Topic of the records that hold PM2.5 readings. */
export const READING_TOPIC = "PM2.5";

/** Reads a PM2.5 value in ug/m3 as people and sensors write it; `undefined` for what is none. */
export function parseReading(text: string): number | undefined {
  const digits = /^\s*(\d{1,6}(?:[.,]\d{1,10})?)\s*$/u.exec(text)?.[1];
  const value = digits === undefined ? Number.NaN : Number(digits.replace(",", "."));
  return value <= MAX_READING ? value : undefined;
}

/**
 * The record of a reading, after the convention for PM2.5.
 * @param account Address of the account that sends it: with the device it makes the code one of its own
 */
export function readingRecord(account: string, { device, place, title }: SensorForm, sensorvalue: number): NewRecord {
  return {
    code: `${device} ${account.slice(0, 10)}`,
    topic: READING_TOPIC,
    payload: { sensorvalue, sensordevice: device, enrichment: { position: { lng: place.lng, lat: place.lat }, title } },
  };
}
