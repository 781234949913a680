import { language } from "../texts/texts.ts";

/** Formats a number with the digit grouping of the user's language. */
export function wholeNumber(value: number | bigint): string {
  return new Intl.NumberFormat(language.value).format(value);
}

/** Formats a size in bytes. */
export function byteSize(bytes: number): string {
  const unit =
    bytes < 1_000 ? "byte" : bytes < 1_000_000 ? "kilobyte" : bytes < 1_000_000_000 ? "megabyte" : "gigabyte";
  const divisor = { byte: 1, kilobyte: 1e3, megabyte: 1e6, gigabyte: 1e9 }[unit];
  return new Intl.NumberFormat(language.value, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(bytes / divisor);
}
