import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { once } from "node:events";
import type { Response } from "express";
import { SealbookError } from "../errors.ts";
import { noteFailure } from "./request-log.ts";
import { toSealbookError } from "./errors.ts";
import { problemOf } from "./problem.ts";
import { duplicateKeys } from "../kit/duplicate-keys.ts";

/** The media type of NDJSON. */
export const NDJSON = "application/x-ndjson";
/** Accepted media types of NDJSON. */
export const NDJSON_TYPES = [NDJSON, "application/ndjson", "application/jsonl"];

const MAX_LINE = 64 * 1024;
const NEWLINE = 0x0a;

/** A line of a body. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

/**
 * Parses the lines of a body as they arrive, up to a number at a time; skips empty lines. Leaves the connection open
 * when the consumer stops early, so that the error response can be sent.
 * @throws SealbookError `malformed` with the line number, `too_large` for a line that is too long
 */
export async function* ndjsonLines(body: Readable, atOnce: number): AsyncGenerator<Line[], void> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let lines: Line[] = [];
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    rest = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, asBuffer(chunk)]);
    let first = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, first)) {
      number += 1;
      lines.push(...parseLine(rest.subarray(first, end), number));
      first = end + 1;
      if (lines.length === atOnce) {
        yield lines;
        lines = [];
      }
    }
    rest = rest.subarray(first);
    checkLength(rest, number + 1);
  }
  lines.push(...parseLine(rest, number + 1));
  if (lines.length > 0) yield lines;
}

function parseLine(bytes: Buffer, number: number): Line[] {
  checkLength(bytes, number);
  if (!isUtf8(bytes)) throw lineFault(number, "is not UTF-8");
  const text = bytes.toString().trim();
  if (text === "") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw lineFault(number, "is not JSON");
  }
  const [duplicate] = duplicateKeys(text);
  if (duplicate !== undefined) throw lineFault(number, "the key appears twice", duplicate.join("."));
  return [{ number, value }];
}

function checkLength({ length }: Buffer, number: number): void {
  if (length > MAX_LINE) throw new SealbookError("too_large", `line ${number} is longer than ${MAX_LINE} bytes`);
}

/** Creates the error of an invalid line or field of a line. */
export function lineFault(number: number, message: string, path = ""): SealbookError {
  const where = `line ${number}${path === "" ? "" : `.${path}`}`;
  return new SealbookError("malformed", `${where}: ${message}`, { details: [{ path: where, message }] });
}

function asBuffer(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}

/**
 * Streams lines with backpressure. After the first line an error can no longer change the status: the last line is then
 * an object with `error`, which contains the problem.
 */
export async function sendLines(response: Response, groups: AsyncIterable<readonly string[]>): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    for await (const lines of groups) {
      gone.signal.throwIfAborted();
      begin(response);
      if (lines.length > 0 && !response.write(`${lines.join("\n")}\n`))
        await once(response, "drain", { signal: gone.signal });
    }
    begin(response);
    response.end();
  } catch (thrown) {
    if (!response.headersSent) throw thrown;
    const error = toSealbookError(thrown);
    if (error.code === "internal" && !gone.signal.aborted) noteFailure(response, error);
    response.end(`${JSON.stringify({ error: problemOf(error).body })}\n`);
  }
}

function begin(response: Response): void {
  if (!response.headersSent) response.type(NDJSON);
}
