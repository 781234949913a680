import { isJsonObject, type JsonValue } from "../kit/json.ts";

/** A step into a JSON value: a member's name, or a place in a list, counted from its end when negative. */
export type JsonPathStep = string | number;

const LONGEST_PATH = 256;
const STEP = /\.([^.[\]'"\s]+)|\[(-?\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;

/**
 * Reads a path such as `$.sensors[0]['pm2.5']`; the leading `$` may be missing.
 * @returns `undefined` for what is no path to one value
 */
export function parseJsonPath(text: string): readonly JsonPathStep[] | undefined {
  if (text.length > LONGEST_PATH) return undefined;
  const bare = text.startsWith("$") ? text.slice(1) : /^[.[]/.test(text) ? text : `.${text}`;
  const steps: JsonPathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < bare.length) {
    const match = STEP.exec(bare);
    if (match === null) return undefined;
    const [, name, index, single, double] = match;
    steps.push(name ?? (index === undefined ? unescaped(single ?? double ?? "") : Number(index)));
  }
  return steps;
}

/** Writes steps as {@link parseJsonPath} reads them. */
export function formatJsonPath(steps: readonly JsonPathStep[]): string {
  return `$${steps.map((step) => (typeof step === "number" ? `[${step}]` : `['${step.replace(/['\\]/gu, "\\$&")}']`)).join("")}`;
}

/** What a path leads to; `undefined` when it leads nowhere. */
export function follow(value: JsonValue, steps: readonly JsonPathStep[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of steps) {
    if (found === undefined) return undefined;
    found = into(found, step);
  }
  return found;
}

function into(value: JsonValue, step: JsonPathStep): JsonValue | undefined {
  if (isList(value)) return typeof step === "number" ? value.at(step) : undefined;
  // What an object inherits is none of its members.
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gu, "$1");
}
