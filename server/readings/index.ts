export { CATEGORY_NAMES } from "./air-quality/category.ts";
export { airQuality, concentrationText } from "./air-quality/index-of-pm25.ts";
export type { Pictures } from "./air-quality/pictures.ts";
export { type Position, type Reading, readingOf } from "./air-quality/reading.ts";
export { DAY_MILLISECONDS, currentReadings, type Frame, frameTimes } from "./air-quality/readings.ts";
