import { language } from "../texts/texts.ts";

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats a duration (seconds) with its two greatest units. */
export function duration(seconds: number): string {
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first === -1) return unit("second", 0);
  let rest = seconds;
  const parts = UNITS.slice(first, first + 2).map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : unit(name, count);
  });
  return parts.filter((part) => part !== "").join(" ");
}

function unit(name: string, count: number): string {
  return new Intl.NumberFormat(language.value, { style: "unit", unit: name, unitDisplay: "short" }).format(count);
}
