import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { RawRequest } from "./requests.ts";

const GIVE_UP_MILLISECONDS = 100;

/** What came back. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * Sends a request as it is.
 * @returns `undefined` when the connection was closed without a response
 * @throws when it takes too long
 */
export function send(
  url: string,
  { method, target, headers, body }: RawRequest,
  timeoutMilliseconds: number,
): Promise<RawResponse | undefined> {
  const { hostname, port } = new URL(url);
  const named = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(named.has("host") ? [] : ["Host: localhost"]),
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(named.has("content-length") || body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no response in ${timeoutMilliseconds} ms`));
    }, timeoutMilliseconds);
    socket.on("data", (chunk) => chunks.push(chunk));
    // A server that has refused a request need not read all of it.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(late);
      resolve(parse(Buffer.concat(chunks)));
    });
    socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    socket.write(body);
    // A body that is shorter than was said would be waited for.
    if (named.has("content-length") || named.has("transfer-encoding"))
      setTimeout(() => socket.end(), GIVE_UP_MILLISECONDS);
  });
}

function parse(bytes: Buffer): RawResponse | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(first.split(" ")[1]);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return parse(rest);
  const headers = new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const body = headers.get("transfer-encoding") === "chunked" ? joined(rest) : rest;
  return { status, headers, text: decoded(body, headers.get("content-encoding")).toString() };
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  // The response to HEAD has none.
  if (body.length === 0) return body;
  if (encoding === "br") return brotliDecompressSync(body);
  return encoding === "gzip" ? gunzipSync(body) : body;
}

function joined(chunked: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let rest = chunked; ;) {
    const end = rest.indexOf("\r\n");
    const length = Number.parseInt(rest.subarray(0, end).toString("latin1"), 16);
    if (end === -1 || !(length > 0)) return Buffer.concat(parts);
    parts.push(rest.subarray(end + 2, end + 2 + length));
    rest = rest.subarray(end + 4 + length);
  }
}
