import { computed, signal } from "@preact/signals";
import * as z from "zod";
import { currentReadings, DAY_MILLISECONDS, sensorOf, sensorSeries } from "../../../air-quality/readings.ts";
import { kept } from "../session/kept.ts";
import { records, session } from "../session/session.ts";
import { findReadings, type Found, type FoundReading, type GetPage } from "./found-reading.ts";
import { mapSettings } from "./settings.ts";

const MAX_CLOCK_DIFFERENCE_MILLISECONDS = 300_000;

export const settings = mapSettings();

/** The current result; `undefined` before the first response. */
export const found = signal<Found | undefined>(undefined);
/** Time of the result; milliseconds since 1970. */
export const updatedAt = signal(Date.now());
/** Records read by the search in flight. */
export const progress = signal<number | undefined>(undefined);
export const failure = signal<unknown>(undefined);
/** The time that the map shows, in milliseconds before {@link updatedAt}. */
export const ago = kept("map.ago", z.number().min(0).max(DAY_MILLISECONDS), 0);
/** The chosen sensor, as returned by `sensorOf`. */
export const chosenSensor = kept("map.sensor", z.string().optional(), undefined);

const MapView = z.object({ lat: z.number(), lng: z.number(), zoom: z.number() });
/** The part of the world that the user has chosen; `undefined` shows all values. */
export const mapView = kept("map.view", MapView.optional(), undefined);

/** The time that the map shows; milliseconds since 1970. */
export const moment = computed(() => updatedAt.value - ago.value);

/** The values at that time, the highest first. */
export const shown = computed<readonly FoundReading[]>(() => {
  const current = currentReadings(found.value?.readings ?? [], moment.value, settings.maxAge);
  return current.sort((one, other) => other.value - one.value);
});

/** The chosen sensor's value at that time, else its newest one before. */
export const chosen = computed(() => {
  const sensor = chosenSensor.value;
  if (sensor === undefined) return undefined;
  return (
    shown.value.find((reading) => sensorOf(reading) === sensor) ??
    series.value.findLast(({ time }) => time <= moment.value) ??
    series.value[0]
  );
});

/** The chosen sensor's values of the day, oldest first. */
export const series = computed(() => {
  const sensor = chosenSensor.value;
  if (sensor === undefined) return [];
  return sensorSeries(found.value?.readings ?? [], sensor, updatedAt.value - DAY_MILLISECONDS, updatedAt.value);
});

const getPage: GetPage = (search, cursor) => session.call((token) => records.page(token, search, cursor));

/** Searches for new readings. */
export async function refresh(): Promise<void> {
  if (progress.value !== undefined) return;
  progress.value = 0;
  try {
    const now = Date.now();
    // The oldest frame of the day shows values of the maximum age.
    const since = now - DAY_MILLISECONDS - settings.maxAge;
    const result = await findReadings(getPage, since, found.value, (count) => (progress.value = count));
    found.value = result;
    // The clock of this computer may be slower than the server's: new readings must not be in the future.
    updatedAt.value = result.readings.reduce(
      (latest, { time }) => (time > now + MAX_CLOCK_DIFFERENCE_MILLISECONDS ? latest : Math.max(latest, time)),
      now,
    );
    failure.value = undefined;
  } catch (error) {
    failure.value = error;
  } finally {
    progress.value = undefined;
  }
}
