import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A request to the stand-in. */
export interface S3Request {
  readonly method: string;
  /** Name of the object; empty for a listing. */
  readonly key: string;
}

/**
 * Handling of a request:
 * - `pass`: a response
 * - `cut`: the connection breaks before the request is processed
 * - `deaf`: the request is processed, but the connection breaks before the response
 * - `hang`: no response
 * - a status: an error response
 */
export type S3Fate = "pass" | "cut" | "deaf" | "hang" | number;

/** A server with the required part of S3's protocol, and one bucket in memory. */
export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  readonly objects: Map<string, Buffer>;
  readonly requests: S3Request[];
  /** Determines the handling of a request. */
  intercept: (request: S3Request) => S3Fate;
  /** Delay of each response. */
  latencyMilliseconds: number;
  /** Maximum names on a page of a listing. */
  pageSize: number;
  /** Stops listening until {@link S3Server.makeAvailable}. */
  makeUnavailable(): Promise<void>;
  makeAvailable(): Promise<void>;
  close(): Promise<void>;
}

const ERRORS: Readonly<Record<number, string>> = {
  403: "AccessDenied",
  409: "ConditionalRequestConflict",
  412: "PreconditionFailed",
  500: "InternalError",
  503: "SlowDown",
};

export async function startS3Server(): Promise<S3Server> {
  const bucket = "sealbook-test";
  const objects = new Map<string, Buffer>();
  const http = createServer((request, response) => {
    respond(s3, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const listen = (port: number): Promise<void> => new Promise((resolve) => http.listen(port, "127.0.0.1", resolve));
  const makeUnavailable = (): Promise<void> =>
    new Promise((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const s3: S3Server = {
    url: `http://127.0.0.1:${port}`,
    bucket,
    objects,
    requests: [],
    intercept: () => "pass",
    latencyMilliseconds: 0,
    pageSize: 1_000,
    makeUnavailable,
    makeAvailable: () => listen(port),
    close: makeUnavailable,
  };
  return s3;
}

async function respond(s3: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", s3.url);
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(decodeURIComponent(url.pathname)) ?? [];
  const method = request.method ?? "";
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  s3.requests.push({ method, key });
  const fate = s3.intercept({ method, key });
  if (s3.latencyMilliseconds > 0) await sleep(s3.latencyMilliseconds);
  if (fate === "hang") return;
  if (fate === "cut") return void request.socket.destroy();
  if (typeof fate === "number") return fail(response, fate, ERRORS[fate] ?? "Injected");
  if (!/^AWS4-HMAC-SHA256 Credential=[^/]+\//.test(request.headers.authorization ?? ""))
    return fail(response, 403, "AccessDenied");
  if (bucket !== s3.bucket) return fail(response, 404, "NoSuchBucket");
  const reply = handle(s3, request, key, url.searchParams, Buffer.concat(chunks));
  if (fate === "deaf") return void request.socket.destroy();
  reply(response);
}

type Reply = (response: ServerResponse) => void;

function handle(s3: S3Server, request: IncomingMessage, key: string, query: URLSearchParams, body: Buffer): Reply {
  const found = s3.objects.get(key);
  switch (request.method) {
    case "PUT":
      if (request.headers["if-none-match"] === "*" && found !== undefined)
        return (response) => fail(response, 412, "PreconditionFailed");
      if (request.headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex"))
        return (response) => fail(response, 400, "XAmzContentSHA256Mismatch");
      // As a bucket with object lock demands.
      if (request.headers["x-amz-checksum-sha256"] !== createHash("sha256").update(body).digest("base64"))
        return (response) => fail(response, 400, "InvalidRequest");
      if (request.headers["x-amz-sdk-checksum-algorithm"] !== "SHA256")
        return (response) => fail(response, 400, "MissingUploadObjectWithObjectLockHeaders");
      s3.objects.set(key, body);
      return (response) => response.writeHead(200, { ETag: etag(body) }).end();
    case "GET":
      if (key === "")
        return (response) => response.writeHead(200, { "Content-Type": "application/xml" }).end(listing(s3, query));
      if (found === undefined) return (response) => fail(response, 404, "NoSuchKey");
      return (response) => response.writeHead(200, { "Content-Length": found.length, ETag: etag(found) }).end(found);
    default:
      return (response) => fail(response, 405, "MethodNotAllowed");
  }
}

/** Returns a page of names, in their byte order. */
function listing(s3: S3Server, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
  const names = [...s3.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = names.slice(0, s3.pageSize);
  const next = names.length > page.length ? page.at(-1) : undefined;
  const items = page.map((name) => {
    const key = name.replaceAll("&", "&amp;").replaceAll("'", "&#39;");
    return `<Contents><Key>${key}</Key><Size>${s3.objects.get(name)?.length ?? 0}</Size></Contents>`;
  });
  const token = next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`;
  return (
    `<?xml version="1.0"?><ListBucketResult><Name>${s3.bucket}</Name><KeyCount>${page.length}</KeyCount>` +
    `<IsTruncated>${next !== undefined}</IsTruncated>${token}${items.join("")}</ListBucketResult>`
  );
}

function etag(content: Buffer): string {
  return `"${createHash("md5").update(content).digest("hex")}"`;
}

function fail(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { "Content-Type": "application/xml" })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
