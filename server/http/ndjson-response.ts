import { once } from "node:events";
import type { Response } from "express";
import { noteFailure } from "./request-log.ts";
import { toSealbookError } from "./errors.ts";
import { NDJSON } from "./ndjson.ts";
import { problemOf } from "./problem.ts";

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
