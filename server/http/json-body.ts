import { MIMEType } from "node:util";
import { z } from "zod";
import express, { type Request, type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { checkJson, MAX_DEPTH, parseJson } from "./json-text.ts";

const JSON_TYPE = "application/json";

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
      // Without a body the schema reports the missing fields.
      const type = request.headers["content-type"] ?? JSON_TYPE;
      if (type !== JSON_TYPE && !isJsonInUtf8(type))
        throw new SealbookError("unsupported_media_type", `Content-Type has to be ${JSON_TYPE}, in UTF-8`);
      read(request, response, (error: unknown) => next(isTooLarge(error) ? tooLarge(limit, advice) : error));
    },
    (request, _response, next) => {
      const body: unknown = request.body;
      if (Buffer.isBuffer(body)) {
        sizes.set(request, body.length);
        // Many clients mean an empty object by an empty body.
        request.body = body.length === 0 ? {} : parseJson(body);
        // An error names the route, which is in the body.
        checkJson(request.body);
      }
      next();
    },
  ];
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

function isJsonInUtf8(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === JSON_TYPE && (params.get("charset") ?? "utf-8").toLowerCase() === "utf-8";
  } catch {
    return false;
  }
}
