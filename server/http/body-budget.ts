import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { BodyBudget } from "../kit/body-budget.ts";
import { sourceKey } from "./access/source-key.ts";

const MIB = 1024 * 1024;
/** Bodies up to this size have a budget of their own, so that large ones never keep them waiting. */
const SMALL_BYTES = 64 * 1024;
const RETRY_SECONDS = 5;

// Of the process, as memory is.
const SMALL = new BodyBudget(64 * MIB, 16 * MIB);
const LARGE = new BodyBudget(96 * MIB, 32 * MIB);

/**
 * Admits a body of at most `limit` bytes when there is memory for it.
 * @throws SealbookError `overloaded`
 */
export function bodyBudget(limit: number): RequestHandler {
  return (request, response, next) => {
    const { "content-length": declared, "content-encoding": encoding = "identity" } = request.headers;
    // Without a length, or compressed, a body can become as large as the limit. The parser rejects larger ones.
    const bytes = declared === undefined || encoding !== "identity" ? limit : Math.min(limit, Number(declared));
    const release = (bytes <= SMALL_BYTES ? SMALL : LARGE).reserve(sourceKey(request.ip), bytes);
    if (release === undefined) {
      throw new SealbookError("overloaded", "too many request bodies are being received; send fewer at a time", {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    response.once("close", release);
    next();
  };
}
