import { computed } from "@preact/signals";
import { CATEGORY_NAMES, type Language } from "../../../air-quality/category.ts";
import { airQuality, indexText } from "../../../air-quality/index-of-pm25.ts";
import type { Reading } from "../../../air-quality/reading.ts";
import { language, texts } from "../texts/texts.ts";
import { visibleText } from "../visible-text.ts";

// Created once per language: playing the day formats thousands of texts per second.
const numbers = computed(() => new Intl.NumberFormat(language.value, { maximumFractionDigits: 1, useGrouping: false }));
const moments = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
    }),
);
const clocks = computed(() => new Intl.DateTimeFormat(language.value, { hour: "2-digit", minute: "2-digit" }));
const weekdays = computed(() => new Intl.DateTimeFormat(language.value, { weekday: "short" }));

/** The language for names of categories. */
export function categoryLanguage(): Language {
  return language.value.startsWith("ru") ? "ru" : "en";
}

/** Formats a concentration in the user's language. */
export function concentration(value: number): string {
  return numbers.value.format(value);
}

/** Returns the name of a sensor, as it is shown: the library of the map does not pass texts through Preact. */
export function captionOf({ title, device }: Reading): string {
  return visibleText(title === "" ? device : title);
}

/** Formats a time of the last days, in the user's time zone. */
export function momentText(time: number): string {
  return moments.value.format(time);
}

/** Formats a time of day, with the date unless it is today. */
export function clockText(time: number): string {
  const clock = clocks.value.format(time);
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? clock : `${weekdays.value.format(time)} ${clock}`;
}

/** Describes a point in one sentence. */
export function readingText(reading: Reading): string {
  const quality = airQuality(reading.value);
  const { map } = texts.value;
  return (
    `${captionOf(reading)}: ${concentration(reading.value)} ${map.unit}, ${map.index} ${indexText(quality)}, ` +
    `${CATEGORY_NAMES[categoryLanguage()][quality.category]}, ${momentText(reading.time)}`
  );
}
