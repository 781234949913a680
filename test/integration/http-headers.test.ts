import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { assert } from "chai";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const ORIGIN = "https://app.example";

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request as it is; `fetch` decompresses, and hides headers. */
async function send(
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<RawResponse> {
  const { method = "GET", headers = {}, body } = options;
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
  const request = httpRequest(url, { method, headers }, (response) => {
    buffer(response).then(
      (bytes) => resolve({ status: response.statusCode, headers: response.headers, body: bytes }),
      reject,
    );
  });
  request.on("error", reject).end(body);
  return promise;
}

describe("headers of responses", () => {
  let server: TestServer;
  let bundle: string;

  before(async () => {
    server = await startServer({ ALLOWED_ORIGINS: `${ORIGIN},http://localhost:5173`, STORE_RATE: "2" });
    const body = { document_id: "headers", hash: "ab".repeat(32), metadata: {} };
    const posted = await server.post("/api/v1/proof", body);
    assert.equal(posted.status, 201, posted.text);
    bundle = `${server.url}/api/v1/proof/headers?format=bundle`;
  });
  after(() => server.stop());

  const post = (body: unknown, headers: Record<string, string> = {}): Promise<RawResponse> =>
    send(`${server.url}/api`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  it("name each rate that was counted, with what is left of it", async () => {
    const token = await server.login();
    const store = (): Promise<RawResponse> =>
      post({
        method: "GET",
        route: ROUTES.store,
        credentials: { token },
        payload: { code: "c", topic: "t", payload: { v: 1 } },
      });
    const responses = [await store(), await store(), await store()];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 429],
    );
    for (const [index, { headers }] of responses.entries()) {
      assert.equal(headers["ratelimit-policy"], '"requests";q=20000;w=10, "stores";q=2;w=60');
      assert.match(
        String(headers["ratelimit"]),
        new RegExp(`^"requests";r=\\d+;t=\\d+, "stores";r=${Math.max(0, 1 - index)};t=\\d+$`),
      );
    }
    const { headers } = await send(`${server.url}/api/v1/status`);
    assert.equal(headers["ratelimit-policy"], '"requests";q=20000;w=10');
  });

  it("say how JSON of 1 to 64 KiB is compressed, for clients that accept it", async () => {
    const plain = await send(bundle);
    assert.isAbove(plain.body.length, 1024);
    assert.notProperty(plain.headers, "content-encoding");
    const zipped = await send(bundle, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(zipped.headers["content-encoding"], "gzip");
    assert.isBelow(zipped.body.length, plain.body.length);
    assert.deepEqual(gunzipSync(zipped.body), plain.body);
    const brotli = await send(bundle, { headers: { "Accept-Encoding": "br, gzip" } });
    assert.equal(brotli.headers["content-encoding"], "br");
    assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);
    for (const { headers } of [plain, zipped, brotli]) assert.match(String(headers.vary), /Accept-Encoding/i);
    const documents = Array.from({ length: 500 }, (_, index) => ({
      document_id: `large ${index}`,
      hash: index.toString(16).padStart(64, "0"),
      metadata: {},
    }));
    const large = await send(`${server.url}/api/v1/proof/batch`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept-Encoding": "gzip" },
      body: JSON.stringify({ documents }),
    });
    assert.isAbove(large.body.length, 64 * 1024);
    assert.notProperty(large.headers, "content-encoding");
    const small = await send(`${server.url}/healthz`, { headers: { "Accept-Encoding": "gzip" } });
    assert.notProperty(small.headers, "content-encoding");
  });

  it("let a client keep a bundle, and ask whether it is still the same", async () => {
    const { headers } = await send(bundle);
    assert.equal(headers["cache-control"], "private, no-cache");
    const etag = headers.etag ?? assert.fail("no ETag");
    const again = await send(bundle, { headers: { "If-None-Match": etag } });
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
    assert.match(etag, /^W\//, "the same in each encoding");
    assert.match(String(again.headers.vary), /Accept-Encoding/);
    const other = await send(bundle, { headers: { "If-None-Match": '"other"' } });
    assert.equal(other.status, 200);
  });

  it("let pages of the allowed origins call, and no others", async () => {
    const preflight = (origin: string): Promise<RawResponse> =>
      send(`${server.url}/api/v1/proof`, {
        method: "OPTIONS",
        headers: {
          Origin: origin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        },
      });
    const { status, headers } = await preflight(ORIGIN);
    assert.equal(status, 204);
    assert.equal(headers["access-control-allow-origin"], ORIGIN);
    assert.equal(headers["access-control-allow-methods"], "GET,POST");
    assert.equal(headers["access-control-allow-headers"], "authorization,content-type,idempotency-key");
    assert.notProperty(headers, "access-control-allow-credentials");
    const read = await send(bundle, { headers: { Origin: "http://localhost:5173" } });
    assert.equal(read.headers["access-control-allow-origin"], "http://localhost:5173");
    assert.match(String(read.headers["access-control-expose-headers"]), /\bRetry-After\b/);
    for (const origin of ["https://app.example.evil.example", "http://app.example", "null"]) {
      assert.notProperty((await preflight(origin)).headers, "access-control-allow-origin", origin);
      const refused = await send(bundle, { headers: { Origin: origin } });
      assert.notProperty(refused.headers, "access-control-allow-origin", origin);
    }
  });

  it("take the caller's trace into the log, when it is one", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const get = (traceparent: string): Promise<RawResponse> =>
      send(`${server.url}/api/v1/status`, { headers: { traceparent } });
    await get(`00-${trace}-00f067aa0ba902b7-01`);
    await get(`00-${"0".repeat(32)}-00f067aa0ba902b7-01`);
    await get("00-no-trace-01");
    await get(`00-${trace}-00f067aa0ba902b7-01-more`);
    const traced = server.log.filter((line) => line.includes("trace_id"));
    assert.lengthOf(traced, 1);
    assert.include(JSON.parse(traced[0] ?? ""), { trace_id: trace, parent_span_id: "00f067aa0ba902b7" });
  });
});

describe("a server without ALLOWED_ORIGINS", () => {
  it("lets no page of another origin call", async () => {
    const server = await startServer();
    try {
      const { headers, status } = await send(`${server.url}/api/v1/proof`, {
        method: "OPTIONS",
        headers: { Origin: ORIGIN, "Access-Control-Request-Method": "POST" },
      });
      assert.equal(status, 405);
      assert.notProperty(headers, "access-control-allow-origin");
    } finally {
      await server.stop();
    }
  });
});
