import cors from "cors";
import type { RequestHandler } from "express";

/** What a client reads besides the body. */
const EXPOSED = ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"];
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of other origins call the APIs, without cookies: they send their token or key in each request.
 * @param origins As browsers send them, such as `https://app.example`; empty for none
 */
export function crossOrigin(origins: readonly string[]): RequestHandler[] {
  if (origins.length === 0) return [];
  const methods = ["GET", "POST"];
  return [cors({ origin: [...origins], methods, exposedHeaders: EXPOSED, maxAge: PREFLIGHT_SECONDS })];
}
