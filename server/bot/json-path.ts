import { isJsonObject, type JsonValue } from "../kit/json.ts";

/** A step of a path: a member name or an array index. A negative index counts from the end. */
export type JsonPathStep = string | number;

const MAX_PATH_LENGTH = 256;
const STEP = /\.([^.[\]'"\s]+)|\[(-?\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;

/**
 * Parses a path such as `$.sensors[0]['pm2.5']`. The leading `$` is optional.
 * @returns `undefined` if the text is not a path to a single value
 */
export function parseJsonPath(text: string): readonly JsonPathStep[] | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
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

/** Returns the value at a path; `undefined` if there is none. */
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
  // Ignores inherited properties.
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gu, "$1");
}
