import { isUtf8 } from "node:buffer";
import { z } from "zod";
import express, { type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { bodyBudget } from "./body-budget.ts";

/** Maximum nesting depth: deeper JSON has no use here and would exhaust recursive code. */
const MAX_DEPTH = 32;

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
    express.json({ limit, strict: false, verify: checkEncoding }),
    (request, _response, next) => {
      checkValue(request.body);
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

/** Rejects a body that is not UTF-8: it would be decoded to other characters than those sent. */
function checkEncoding(request: object, _response: unknown, body: Buffer, encoding: string): void {
  sizes.set(request, body.length);
  if (encoding !== "utf-8" || !isUtf8(body)) throw new SealbookError("malformed", "the body is not UTF-8");
}

function checkValue(body: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: "", depth: 0 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, path, depth } = item;
    if (typeof value === "string" && !value.isWellFormed()) throw fault(path, "contains half of a surrogate pair");
    if (typeof value === "number" && !isExact(value)) {
      throw fault(path, `is too large: numbers beyond ${Number.MAX_SAFE_INTEGER} are not kept exactly`);
    }
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) throw fault(path, `is nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, child] of Object.entries(value)) {
      // Many libraries interpret this key as the prototype.
      if (key === "__proto__") throw fault(path, "has a key __proto__");
      if (!key.isWellFormed()) throw fault(path, "has a key with half of a surrogate pair");
      open.push({ value: child, path: path === "" ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function fault(path: string, message: string): SealbookError {
  return new SealbookError("malformed", `${path === "" ? "body" : path}: ${message}`, {
    details: [{ path, message }],
  });
}
