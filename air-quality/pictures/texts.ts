import type { Language } from "../category.ts";

/** The texts of a picture. */
export interface PictureTexts {
  readonly title: string;
  readonly unit: string;
  readonly index: string;
  readonly noReadings: string;
  readonly metres: string;
  readonly kilometres: string;
  readonly more: (count: number) => string;
  readonly sensors: (count: number) => string;
  /** Formats a time in UTC. */
  readonly time: (milliseconds: number) => string;
}

const SENSORS_RU: Readonly<Record<Intl.LDMLPluralRule, string>> = {
  zero: "датчиков",
  one: "датчик",
  two: "датчика",
  few: "датчика",
  many: "датчиков",
  other: "датчика",
};
const russianPlural = new Intl.PluralRules("ru");

/** The texts in each language. */
export const PICTURE_TEXTS: Readonly<Record<Language, PictureTexts>> = {
  en: {
    title: "Air quality, PM2.5",
    unit: "µg/m³",
    index: "AQI",
    noReadings: "No current readings",
    metres: "m",
    kilometres: "km",
    more: (count) => `+ ${count} more`,
    sensors: (count) => `${count} ${count === 1 ? "sensor" : "sensors"}`,
    time: timeIn("en-GB"),
  },
  ru: {
    title: "Качество воздуха, PM2.5",
    unit: "мкг/м³",
    index: "AQI",
    noReadings: "Сейчас показаний нет",
    metres: "м",
    kilometres: "км",
    more: (count) => `+ ещё ${count}`,
    sensors: (count) => `${count} ${SENSORS_RU[russianPlural.select(count)]}`,
    time: timeIn("ru"),
  },
};

function timeIn(locale: string): (milliseconds: number) => string {
  const format = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
  return (milliseconds) => `${format.format(milliseconds)} UTC`;
}
