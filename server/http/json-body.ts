import { isUtf8 } from "node:buffer";
import { z } from "zod";
import express, { type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { bodyBudget } from "./body-budget.ts";

/** Maximum nesting depth: deeper JSON has no use here and would exhaust recursive code. */
const MAX_DEPTH = 32;
/**
 * Maximum number of values in a body: a value takes up to thirty times the memory of its text. The largest body that is
 * meant, 100,000 restored documents, has 300,000.
 */
const MAX_VALUES = 500_000;
/** Maximum length of a list: every faulty item is an error. The schemas of the routes have limits of their own. */
const MAX_ITEMS = 150_000;
/** Bytes in front of a value. */
const [BRACKET, BRACE, COMMA] = Buffer.from("[{,");

/** The names of fields that {@link jsonBody} accepts, as a JSON Schema. */
export const FIELD_NAMES = { not: { const: "__proto__" } };

const ITEM = { $ref: "#/components/schemas/JsonValue" };

/** The values that {@link jsonBody} accepts, as a schema for documentation: the parser itself checks them. */
export const JsonValue = z.unknown().meta({
  id: "JsonValue",
  description: `Any JSON value of at most ${MAX_DEPTH} levels. Numbers beyond 2^53 - 1 are sent as text.`,
  anyOf: [
    { type: ["null", "boolean", "string"] },
    { type: "number", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: "array", items: ITEM },
    { type: "object", propertyNames: FIELD_NAMES, additionalProperties: ITEM },
  ],
});

const sizes = new WeakMap<object, number>();

/**
 * Parses a JSON body. Rejects values that cannot be stored unchanged: integers beyond 2^53, numbers beyond the range of
 * a double, and unpaired surrogates, which have no UTF-8 form. Fractions are doubles, as everywhere in JSON.
 * @param limit Maximum bytes of a body
 */
export function jsonBody(limit: number): RequestHandler[] {
  return [
    (request, _response, next) => {
      // `is` returns null when there is no body; the schema then reports the missing fields.
      if (request.is("application/json") === false) {
        next(new SealbookError("unsupported_media_type", "Content-Type has to be application/json"));
      } else {
        next();
      }
    },
    bodyBudget(limit),
    express.json({ limit, strict: false, verify: checkBytes }),
    (request, _response, next) => {
      checkValue(request.body, []);
      next();
    },
  ];
}

/** Returns the number of bytes of the body that {@link jsonBody} read. */
export function bodyBytes(request: object): number {
  return sizes.get(request) ?? 0;
}

/** Creates the error for a body of more than `limit` bytes. */
export function tooLarge(limit: number): SealbookError {
  return new SealbookError("too_large", `the request body is larger than ${limit} bytes`);
}

/** Rejects a body before it is parsed: one that is not UTF-8 would be decoded to other characters than those sent. */
function checkBytes(request: object, _response: unknown, body: Buffer, encoding: string): void {
  sizes.set(request, body.length);
  if (encoding !== "utf-8" || !isUtf8(body)) throw new SealbookError("malformed", "the body is not UTF-8");
  if (body.length <= MAX_VALUES) return;
  let values = 0;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  if (values > MAX_VALUES) throw new SealbookError("too_large", `the body has more than ${MAX_VALUES} values`);
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

function fault(keys: readonly (string | number)[], message: string): SealbookError {
  const path = keys.join(".");
  return new SealbookError("malformed", `${path === "" ? "body" : path}: ${message}`, {
    details: [{ path, message }],
  });
}
