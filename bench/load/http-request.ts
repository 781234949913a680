import { Agent, type AgentOptions, request } from "node:http";
import { text } from "node:stream/consumers";

/** The status of a response, or the reason why there was none as text. */
export type Outcome = number | string;

/** Sends a request; never throws. */
export type HttpRequest = (
  method: "GET" | "POST",
  path: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ outcome: Outcome; body: string }>;

/**
 * @param usual Default headers of every request
 * @param options Further options of the connections
 */
export function httpRequests(
  url: string,
  usual: Readonly<Record<string, string>>,
  connections: number,
  options: AgentOptions = {},
): HttpRequest & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ...options });
  const send: HttpRequest = (method, path, body, headers = {}) =>
    new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException): void =>
        resolve({ outcome: error.code ?? error.message, body: "" });
      const typed = body === undefined ? {} : { "Content-Type": "application/json" };
      const made = request(new URL(path, url), { agent, method, headers: { ...typed, ...usual, ...headers } });
      made.on("error", failed);
      made.on("response", (response) =>
        text(response).then((read) => resolve({ outcome: response.statusCode ?? 0, body: read }), failed),
      );
      made.end(body);
    });
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() });
}
