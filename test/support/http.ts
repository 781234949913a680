import { secretWatch } from "./secrets/watch.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** A response with everything that a test may check. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: ParsedJson;
}

/** Sends a request and reads the whole response. */
export async function request(url: string, init: RequestInit = {}): Promise<HttpResponse> {
  const response = await fetch(url, init);
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const reply = { status: response.status, headers: response.headers, text, body };
  secretWatch.exchanged(url, init, reply);
  return reply;
}

/** Posts JSON: a value, or a text that is sent unchanged. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
