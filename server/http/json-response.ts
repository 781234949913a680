import type { Response } from "express";

/** Sends a value as JSON. Express' own `json` also looks for a type, a digest and a condition that these never have. */
export function sendJson(response: Response, value: unknown): void {
  const text = JSON.stringify(value);
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(text));
  // A text is sent in one piece with the headers, bytes in two.
  response.end(text);
}
