import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { sourceKey } from "./access/source-key.ts";

const MIB = 1024 * 1024;
/** Bodies up to this size have a budget of their own, so that large ones never keep them waiting. */
const SMALL_BYTES = 64 * 1024;
const RETRY_SECONDS = 5;

/**
 * Memory for bodies that are being received or processed, in total and for one source. A body counts with its declared
 * length until its response is sent: a client that declares 16 MiB and sends nothing cannot use memory of others,
 * and one that declares too little is cut off by the parser.
 */
class BodyBudget {
  readonly #total: number;
  readonly #perSource: number;
  readonly #bySource = new Map<string, number>();
  #used = 0;

  constructor(total: number, perSource: number) {
    this.#total = total;
    this.#perSource = perSource;
  }

  /**
   * Reserves memory.
   * @returns releases it; `undefined` when the source or all sources together use too much
   */
  reserve(source: string, bytes: number): (() => void) | undefined {
    const ofSource = this.#bySource.get(source) ?? 0;
    if (this.#used + bytes > this.#total || ofSource + bytes > this.#perSource) return undefined;
    this.#used += bytes;
    this.#bySource.set(source, ofSource + bytes);
    return () => {
      this.#used -= bytes;
      const left = (this.#bySource.get(source) ?? 0) - bytes;
      if (left > 0) this.#bySource.set(source, left);
      else this.#bySource.delete(source);
    };
  }
}

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
