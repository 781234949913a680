export { CATEGORY_NAMES } from "./category.ts";
export { airQuality, concentrationText } from "./index-of-pm25.ts";
export type { Pictures } from "./pictures/pictures.ts";
export { type Position, type Reading, readingOf } from "./reading.ts";
export { DAY_MILLISECONDS, currentReadings, type Frame, frameTimes } from "./readings.ts";
