import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { SealbookError } from "../errors.ts";

/** What a body of one JSON text a line is called. */
export const NDJSON = "application/x-ndjson";
/** Names under which callers send it. */
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
 * The lines of a body, as they come in; empty ones are passed over.
 * @throws SealbookError `malformed` that names the line, `too_large` for a line without an end
 */
export async function* ndjsonLines(body: Readable): AsyncGenerator<Line, void> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const chunk of body) {
    rest = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, asBuffer(chunk)]);
    let first = 0;
    for (let end = rest.indexOf(NEWLINE, first); end !== -1; end = rest.indexOf(NEWLINE, first)) {
      number += 1;
      const line = parseLine(rest.subarray(first, end), number);
      if (line !== undefined) yield line;
      first = end + 1;
    }
    rest = rest.subarray(first);
    if (rest.length > MAX_LINE) throw new SealbookError("too_large", `line ${number + 1} is longer than ${MAX_LINE} bytes`);
  }
  const last = parseLine(rest, number + 1);
  if (last !== undefined) yield last;
}

function parseLine(bytes: Buffer, number: number): Line | undefined {
  if (!isUtf8(bytes)) throw lineFault(number, "is not UTF-8");
  const text = bytes.toString().trim();
  if (text === "") return undefined;
  try {
    return { number, value: JSON.parse(text) };
  } catch {
    throw lineFault(number, "is not JSON");
  }
}

/** The error for what is wrong with a line, or with something in it. */
export function lineFault(number: number, message: string, path = ""): SealbookError {
  const where = `line ${number}${path === "" ? "" : `.${path}`}`;
  return new SealbookError("malformed", `${where}: ${message}`, { details: [{ path: where, message }] });
}

function asBuffer(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}
