import { secretWatch } from "./secrets/watch.ts";

/** An answer with everything that a test may want to look at. Bodies are loose on purpose: tests say what is in them. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: any;
}

/** Makes a request and reads the whole answer. */
export async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const answer = { status: response.status, headers: response.headers, text, body };
  secretWatch.exchanged(url, init, answer);
  return answer;
}

/** Posts JSON: a value, or text that is sent as it is. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
