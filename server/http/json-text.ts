import { isUtf8 } from "node:buffer";
import { SealbookError } from "../errors.ts";

/** Maximum nesting depth: deeper JSON has no use here and would exhaust recursive code. */
export const MAX_DEPTH = 32;
/**
 * Maximum number of values in a body: a value takes up to thirty times the memory of its text. A thousand documents
 * with 2 kB of descriptive data each have half as many.
 */
const MAX_VALUES = 200_000;
/** Maximum length of a list: every faulty item is an error. The schemas of the routes have limits of their own. */
const MAX_ITEMS = 40_000;
/** Bytes in front of a value. */
const [BRACKET = 0, BRACE = 0, COMMA = 0] = Buffer.from("[{,");

const utf8 = new TextDecoder();

/**
 * Parses JSON.
 * @throws SealbookError `malformed`, `too_large`
 */
export function parseJson(body: Uint8Array): unknown {
  // Other bytes would be decoded to other characters than those sent.
  if (!isUtf8(body)) throw new SealbookError("malformed", "the body is not UTF-8");
  if (body.length > MAX_VALUES && countOfValues(body) > MAX_VALUES)
    throw new SealbookError("too_large", `the body has more than ${MAX_VALUES} values`);
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    throw new SealbookError("malformed", "the body is not JSON", { cause });
  }
}

/**
 * Rejects values that cannot be stored unchanged: integers beyond 2^53, numbers beyond the range of a double, and
 * unpaired surrogates, which have no UTF-8 form. Fractions are doubles, as everywhere in JSON.
 * @throws SealbookError `malformed` with the path of the value
 */
export function checkJson(value: unknown): void {
  checkValue(value, []);
}

/** Returns a number of values that JSON does not exceed. */
function countOfValues(body: Uint8Array): number {
  let values = 0;
  // An iterator would take ten times as long.
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  return values;
}

/** @param keys The path of the value; the depth of the recursion is limited */
function checkValue(value: unknown, keys: (string | number)[]): void {
  if (typeof value === "string" && !value.isWellFormed()) throw fault(keys, "contains half of a surrogate pair");
  if (typeof value === "number" && !isExact(value)) {
    throw fault(keys, `is too large: numbers beyond ${Number.MAX_SAFE_INTEGER} are not kept exactly`);
  }
  if (typeof value !== "object" || value === null) return;
  if (keys.length >= MAX_DEPTH) throw fault(keys, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) throw fault(keys, `has more than ${MAX_ITEMS} items`);
    value.forEach((item, index) => checkAt(index, item, keys));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    // Many libraries interpret this key as the prototype.
    if (key === "__proto__") throw fault(keys, "has a key __proto__");
    if (!key.isWellFormed()) throw fault(keys, "has a key with half of a surrogate pair");
    checkAt(key, child, keys);
  }
}

function checkAt(key: string | number, value: unknown, keys: (string | number)[]): void {
  keys.push(key);
  checkValue(value, keys);
  keys.pop();
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Creates the error for a value that is not accepted. */
function fault(keys: readonly (string | number)[], message: string): SealbookError {
  const path = keys.join(".");
  return new SealbookError("malformed", `${path === "" ? "body" : path}: ${message}`, {
    details: [{ path, message }],
  });
}
