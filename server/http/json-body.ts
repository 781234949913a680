import { MIMEType } from "node:util";
import { z } from "zod";
import express, { type NextFunction, type Request, type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { checkJson, MAX_DEPTH, parseJson } from "./json-text.ts";

const JSON_TYPE = "application/json";
/** Bodies above this size take milliseconds. */
const LONG_BYTES = 64 * 1024;
/** Of a body that is larger than the limit, as many times the limit is read and dropped. */
const READ_LIMITS = 8;

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
 * Parses a JSON body, as {@link parseJson}.
 * @param limit Maximum bytes of a body, at most 2 MiB: it is parsed at once
 * @param advice What to do with a larger one
 */
export function jsonBody(limit: number, advice?: string): RequestHandler[] {
  const read = express.raw({ limit, type: JSON_TYPE });
  return [
    (request, response, next) => {
      const type = request.headers["content-type"];
      // `is` returns null when there is no body; the schema then reports the missing fields.
      if (type !== JSON_TYPE && (request.is(JSON_TYPE) === false || !isInUtf8(type ?? JSON_TYPE)))
        throw new SealbookError("unsupported_media_type", `Content-Type has to be ${JSON_TYPE}, in UTF-8`);
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
      if (Buffer.isBuffer(body)) {
        sizes.set(request, body.length);
        const isLong = body.length > LONG_BYTES;
        // Others are served before and after the milliseconds that a long body takes.
        if (isLong) await yieldToEventLoop();
        // Many clients mean an empty object by an empty body.
        request.body = body.length === 0 ? {} : parseJson(body);
        // An error names the route, which is in the body.
        checkJson(request.body);
        if (isLong) await yieldToEventLoop();
      }
      next();
    },
  ];
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
  return sizes.get(request) ?? 0;
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
