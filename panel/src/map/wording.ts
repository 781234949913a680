import { computed } from "@preact/signals";
import { CATEGORY_NAMES, type Language } from "../../../air-quality/category.ts";
import { airQuality, indexText } from "../../../air-quality/index-of-pm25.ts";
import type { Reading } from "../../../air-quality/reading.ts";
import { utcText } from "../format/moment.tsx";
import { language, texts } from "../texts/texts.ts";
import { visibleText } from "../visible-text.ts";

// Created once per language: playing the day formats thousands of texts per second.
const numbers = computed(() => new Intl.NumberFormat(language.value, { maximumFractionDigits: 1, useGrouping: false }));

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

/** Describes a point in one sentence. */
export function readingText(reading: Reading): string {
  const quality = airQuality(reading.value);
  const { map } = texts.value;
  return (
    `${captionOf(reading)}: ${concentration(reading.value)} ${map.unit}, ${map.index} ${indexText(quality)}, ` +
    `${CATEGORY_NAMES[categoryLanguage()][quality.category]}, ${utcText(reading.time / 1000)}`
  );
}
