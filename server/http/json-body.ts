import { isUtf8 } from "node:buffer";
import { MIMEType } from "node:util";
import express from "express";
import type { NextFunction, Request, RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { duplicateKeys } from "../kit/duplicate-keys.ts";
import { assertForwardedBody } from "./forwarding/accept.ts";

/** Maximum nesting depth: deeper JSON has no use here and would exhaust recursive code. */
const MAX_DEPTH = 32;
/**
 * Maximum number of values in a body: a value takes up to thirty times the memory of its text. A thousand documents
 * with 2 kB of descriptive data each have half as many.
 */
const MAX_VALUES = 200_000;
/** Maximum length of a list: every faulty item is an error. The schemas of the routes have limits of their own. */
const MAX_ITEMS = 40_000;
/** Bytes in front of a value. */
const [BRACKET = 0, BRACE = 0, COMMA = 0] = Buffer.from("[{,");

/** Decodes a body; skips a byte order mark. */
export const utf8 = new TextDecoder();

/**
 * Parses JSON.
 * @throws SealbookError `malformed`, `too_large`
 */
function parseJson(body: Uint8Array): unknown {
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
 * @param accepts Whether a number is accepted
 * @throws SealbookError `malformed` with the path of the value
 */
export function checkJson(value: unknown, accepts: NumberRule = isExact): void {
  checkValue(value, [], accepts);
}

type NumberRule = (value: number) => boolean;

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
function checkValue(value: unknown, keys: (string | number)[], accepts: NumberRule): void {
  if (typeof value === "string" && !value.isWellFormed()) throw fault(keys, "contains half of a surrogate pair");
  if (typeof value === "number" && !accepts(value)) {
    throw fault(keys, `is too large: numbers beyond ${Number.MAX_SAFE_INTEGER} are not kept exactly`);
  }
  if (typeof value !== "object" || value === null) return;
  if (keys.length >= MAX_DEPTH) throw fault(keys, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) throw fault(keys, `has more than ${MAX_ITEMS} items`);
    value.forEach((item, index) => checkAt(index, item, keys, accepts));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    // Many libraries interpret this key as the prototype.
    if (key === "__proto__") throw fault(keys, "has a key __proto__");
    if (!key.isWellFormed()) throw fault(keys, "has a key with half of a surrogate pair");
    checkAt(key, child, keys, accepts);
  }
}

function checkAt(key: string | number, value: unknown, keys: (string | number)[], accepts: NumberRule): void {
  keys.push(key);
  checkValue(value, keys, accepts);
  keys.pop();
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Creates the error for a value that is not accepted. */
export function fault(keys: readonly (string | number)[], message: string): SealbookError {
  const path = keys.length === 0 ? "body" : keys.join(".");
  return new SealbookError("malformed", `${path}: ${message}`, { details: [{ path, message }] });
}

const JSON_TYPE = "application/json";
/** Bodies above this size take milliseconds. */
const LONG_BYTES = 64 * 1024;
/** Maximum time for a body. */
const MOST_MILLISECONDS = 120_000;
/** Of a body that is larger than the limit, as many times the limit is read and dropped. */
const READ_LIMITS = 8;

const bodies = new WeakMap<object, Uint8Array>();

/** How {@link jsonBody} reads a body. */
export interface JsonBodyOptions {
  /** Maximum bytes of a body, at most 2 MiB: it is parsed at once. */
  readonly limit: number;
  /** What to do with a larger one. */
  readonly advice?: string | undefined;
  /** Checks `request.body`, and can replace it; {@link checkJson} if omitted. */
  readonly check?: (request: Request, bytes: Uint8Array) => void;
}

/** Parses a JSON body, as {@link parseJson}. */
export function jsonBody({ limit, advice, check = checkBody }: JsonBodyOptions): RequestHandler[] {
  const read = express.raw({ limit, type: JSON_TYPE });
  return [
    (request, response, next) => {
      const type = request.headers["content-type"];
      // `is` returns null when there is no body; the schema then reports the missing fields.
      if (type !== JSON_TYPE && (request.is(JSON_TYPE) === false || !isInUtf8(type ?? JSON_TYPE)))
        throw new SealbookError("unsupported_media_type", `Content-Type has to be ${JSON_TYPE}, in UTF-8`);
      endSlowBody(request);
      const length = Number(request.headers["content-length"]);
      if (length <= limit && request.headers["content-encoding"] === undefined) return readPlain(request, next);
      // Of no known length, or compressed.
      read(request, response, (error: unknown) => {
        if (!isTooLarge(error)) return next(error);
        // The rest is read, so that the client gets the response, but not of a body that nobody means.
        if (!(length <= READ_LIMITS * limit)) response.set("Connection", "close");
        next(tooLarge(limit, advice));
      });
    },
    async (request, _response, next) => {
      const body: unknown = request.body;
      assertForwardedBody(request, Buffer.isBuffer(body) ? body : Buffer.of());
      if (Buffer.isBuffer(body)) {
        bodies.set(request, body);
        const isLong = body.length > LONG_BYTES;
        // Others are served before and after the milliseconds that a long body takes.
        if (isLong) await yieldToEventLoop();
        // Many clients mean an empty object by an empty body.
        request.body = body.length === 0 ? {} : parseJson(body);
        // An error names the route, which is in the body.
        check(request, body);
        if (isLong) await yieldToEventLoop();
      }
      next();
    },
  ];
}

function checkBody(request: Request, bytes: Uint8Array): void {
  checkJson(request.body);
  checkKeys(utf8.decode(bytes));
}

/**
 * Rejects a key that appears twice in its object: parsers keep one of its values and drop the others.
 * @param text Valid JSON
 * @throws SealbookError `malformed` with the path of the key
 */
export function checkKeys(text: string): void {
  const [duplicate] = duplicateKeys(text);
  if (duplicate !== undefined) throw fault(duplicate, "the key appears twice");
}

/** Closes the connection of a body that takes too long: it has a turn that others wait for. */
function endSlowBody(request: Request): void {
  const timer = setTimeout(() => request.socket.destroy(), MOST_MILLISECONDS);
  for (const event of ["end", "close"]) request.once(event, () => clearTimeout(timer));
}

/** Reads a body as it is, of the length that its header says; the parser of HTTP ends it there. */
function readPlain(request: Request, next: NextFunction): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    const [first, ...others] = chunks;
    request.body = first !== undefined && others.length === 0 ? first : Buffer.concat(chunks);
    next();
  });
}

/** Returns the number of bytes of the body that {@link jsonBody} read. */
export function bodyBytes(request: Request): number {
  return bodies.get(request)?.length ?? 0;
}

/** Returns the body that {@link jsonBody} read; `undefined` when there is none. */
export function bodyOf(request: Request): Uint8Array | undefined {
  return bodies.get(request);
}

/** Creates the error for a body of more than `limit` bytes. */
export function tooLarge(limit: number, advice?: string): SealbookError {
  const message = `the request body is larger than ${limit} bytes`;
  return new SealbookError("too_large", advice === undefined ? message : `${message}; ${advice}`);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status === 413;
}

function isInUtf8(contentType: string): boolean {
  try {
    return (new MIMEType(contentType).params.get("charset") ?? "utf-8").toLowerCase() === "utf-8";
  } catch {
    return false;
  }
}
