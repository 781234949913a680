import { MIMEType } from "node:util";
import { z } from "zod";
import express, { type Request, type RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { nextTurn } from "../kit/next-turn.ts";
import { WorkerPool } from "../kit/workers/worker-pool.ts";
import { sourceKey } from "./access/source-key.ts";
import { bodyBudget } from "./body-budget.ts";
import { checkJson, MAX_DEPTH, parseJson } from "./json-text.ts";
import type * as worker from "./long-json-worker.ts";

/** Larger bodies make long work. */
const SMALL_BYTES = 16 * 1024;
/** Bodies up to this size take a few milliseconds. Longer ones are parsed in a thread. */
const SHORT_BYTES = 256 * 1024;
const DEADLINE_MILLISECONDS = 30_000;
const MEMORY_MEGABYTES = 256;
const MAX_WAITING = 100;
const IDLE_MILLISECONDS = 60_000;
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

// Of the process, as memory is.
const longBodies = new WorkerPool<typeof worker>({
  module: new URL("./long-json-worker.ts", import.meta.url),
  jobs: "long bodies",
  deadlineMilliseconds: DEADLINE_MILLISECONDS,
  memoryMegabytes: MEMORY_MEGABYTES,
  maxWaiting: MAX_WAITING,
  idleMilliseconds: IDLE_MILLISECONDS,
});

const sizes = new WeakMap<object, number>();

/**
 * Parses a JSON body, as {@link parseJson}. Other requests are served meanwhile, however long it is.
 * @param limit Maximum bytes of a body
 */
export function jsonBody(limit: number): RequestHandler[] {
  return [
    (request, _response, next) => {
      // `is` returns null when there is no body; the schema then reports the missing fields.
      const type = request.is(JSON_TYPE) ?? JSON_TYPE;
      if (type === false || !isUtf8Type(request.get("Content-Type") ?? JSON_TYPE))
        throw new SealbookError("unsupported_media_type", `Content-Type has to be ${JSON_TYPE}, in UTF-8`);
      next();
    },
    bodyBudget(limit),
    express.raw({ limit, type: JSON_TYPE }),
    async (request, _response, next) => {
      const body: unknown = request.body;
      if (Buffer.isBuffer(body)) {
        sizes.set(request, body.length);
        if (body.length > SMALL_BYTES) await nextTurn();
        if (body.length > SHORT_BYTES) {
          request.body = await parseLong(request, body);
        } else {
          // Many clients mean an empty object by an empty body.
          request.body = body.length === 0 ? {} : parseJson(body);
          // An error names the route, which is in the body.
          checkJson(request.body);
        }
      }
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

function isUtf8Type(contentType: string): boolean {
  try {
    const charset = new MIMEType(contentType).params.get("charset") ?? "utf-8";
    return charset.toLowerCase() === "utf-8";
  } catch {
    return false;
  }
}

async function parseLong(request: Request, bytes: Buffer): Promise<unknown> {
  const caller = { group: "bodies", id: sourceKey(request.ip) };
  const { body, lists } = await longBodies.run("divide", bytes, caller);
  const rest: unknown = JSON.parse(body);
  if (typeof rest !== "object" || rest === null) return rest;
  for (const [name, pieces] of lists) {
    const items: unknown[] = [];
    for (const piece of pieces) {
      await nextTurn();
      const some: unknown[] = JSON.parse(piece);
      items.push(...some);
    }
    Object.assign(rest, { [name]: items });
  }
  return rest;
}
