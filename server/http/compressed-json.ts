import { constants } from "node:zlib";
import compression from "compression";
import type { RequestHandler } from "express";

/** Smaller texts gain nothing. */
const THRESHOLD_BYTES = 1024;
/** Larger ones take so long that few callers would keep the others waiting. A proxy can compress these. */
const MOST_BYTES = 64 * 1024;
const JSON_TYPES = /^application\/(?:problem\+)?json\b/;
/**
 * A batch that confirms answers a thousand requests at the same time: with windows of 8 and 16 KiB these take 50 MB,
 * with the default ones 460.
 */
const SMALL_WINDOWS = {
  windowBits: 13,
  memLevel: 5,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 14 } },
};

/** Compresses JSON of 1 to 64 KiB for clients that accept it; lines of a stream are sent as they come. */
export function compressedJson(): RequestHandler {
  const compress = compression({
    ...SMALL_WINDOWS,
    threshold: THRESHOLD_BYTES,
    filter: (_request, response) =>
      JSON_TYPES.test(String(response.getHeader("Content-Type"))) &&
      Number(response.getHeader("Content-Length") ?? 0) <= MOST_BYTES,
  });
  // For other clients it would only cost time: it wraps each response.
  return (request, response, next) =>
    request.headers["accept-encoding"] === undefined ? next() : compress(request, response, next);
}
