import { isLosslessNumber } from "lossless-json";

/**
 * Formats JSON with indentation; values that fit on a line stay on one.
 * @param width Characters of a line
 */
export function prettyJson(value: unknown, width: number, indent = ""): string {
  const short = jsonOnOneLine(value);
  if (!isContainer(value) || (indent !== "" && indent.length + short.length <= width)) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value)
    ? value.map((item) => prettyJson(item, width, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${prettyJson(item, width, inner)}`);
  if (items.length === 0) return short;
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

/** Formats JSON on one line. */
export function jsonOnOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonOnOneLine).join(", ")}]`;
  if (isLosslessNumber(value)) return value.value;
  if (!isContainer(value)) return JSON.stringify(value);
  const items = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonOnOneLine(item)}`);
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isLosslessNumber(value);
}
