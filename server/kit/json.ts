import { parse } from "lossless-json";

declare global {
  interface JSON {
    /** Returns an object that `JSON.stringify` writes as this text, which is that of a scalar. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a JSON value is an object: neither an array nor null nor a scalar. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON text.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): JsonValue {
  // JSON.parse is declared to return anything; without a reviver it returns JSON values only.
  const value: JsonValue = JSON.parse(text);
  return value;
}

/**
 * Parses JSON text so that `JSON.stringify` writes its numbers as they were written, for example 1.0 or 1e400. A number
 * that JavaScript writes differently becomes the object of `JSON.rawJSON`, which is for writing only and does not pass
 * from a thread to another. Of the values of a key that appears twice, the last one counts, as with `JSON.parse`.
 *
 * Recursive: the depth of the text has to be checked before.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseWithWrittenNumbers(text: string): JsonValue {
  // A reviver of JSON.parse can do the same, but takes four times as long.
  const value = parse(text, undefined, { parseNumber: writtenNumber, onDuplicateKey: ({ newValue }) => newValue });
  if (!isJsonValue(value)) throw new SyntaxError("the text is not JSON");
  return value;
}

function writtenNumber(text: string): unknown {
  const value = Number(text);
  return String(value) === text ? value : JSON.rawJSON(text);
}

/** Whether a value of a JSON parser is one: the parser has made its members alike. */
function isJsonValue(value: unknown): value is JsonValue {
  return value === null || ["boolean", "number", "string", "object"].includes(typeof value);
}

/**
 * Writes JSON text that reads back as the same value.
 *
 * @throws TypeError for values that JSON drops or changes silently: undefined, functions, NaN, infinities, bigint
 */
export function writeJson(value: JsonValue): string {
  return JSON.stringify(value, (key: string, item: unknown): unknown => {
    const type = typeof item;
    if (type === "undefined" || type === "function" || type === "symbol" || type === "bigint") {
      throw new TypeError(`${key === "" ? "the value" : key} is not JSON: ${type}`);
    }
    if (type === "number" && !Number.isFinite(item)) throw new TypeError(`${key} is not JSON: ${String(item)}`);
    return item;
  });
}

/** Writes JSON text with sorted members, and the numbers of {@link parseWithWrittenNumbers} as they were written. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown): unknown =>
    typeof item !== "object" || item === null || Array.isArray(item) || JSON.isRawJSON(item)
      ? item
      : Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/**
 * Writes the canonical text of a JSON value (RFC 8785): names sorted by their UTF-16 code units, no white space,
 * numbers and text as ECMAScript writes them. Members that are `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
