import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";

/** Deeper JSON than this has no use here and would exhaust whatever walks it. */
const MAX_DEPTH = 32;

const sizes = new WeakMap<object, number>();

/**
 * Reads a JSON body. What cannot be kept is refused instead of being changed without a word: whole numbers beyond
 * 2^53, numbers beyond the range of a double, and half surrogate pairs, which have no UTF-8 form. Fractions are
 * doubles, as everywhere in JSON.
 * @param limit Most bytes of a body
 */
export function jsonBody(limit: number): RequestHandler[] {
  return [
    (request, _response, next) => {
      // `is` answers null when there is no body at all; the schema says then what is missing.
      if (request.is("application/json") === false) {
        next(new SealbookError("unsupported_media_type", "Content-Type has to be application/json"));
      } else {
        next();
      }
    },
    express.json({ limit, strict: false, verify: checkEncoding }),
    (request, _response, next) => {
      checkValue(request.body);
      next();
    },
  ];
}

/** How many bytes the body had that {@link jsonBody} read. */
export function bodyBytes(request: object): number {
  return sizes.get(request) ?? 0;
}

/** The error for a body of more than `limit` bytes. */
export function tooLarge(limit: number): SealbookError {
  return new SealbookError("too_large", `the request body is larger than ${limit} bytes`);
}

/** What is not UTF-8 would be read as other characters than were sent. */
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
      // Too many places take this key for something else than a key.
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
