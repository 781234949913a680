import { assert } from "chai";
import { type HttpResponse, request } from "../../support/http.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const HASH = "ab".repeat(32);
const NOT_TEXT: readonly unknown[] = [null, 1, true, ["1"], { "1": 1 }];
const NOT_A_HASH: readonly unknown[] = [
  ...NOT_TEXT,
  "",
  "0x",
  HASH.slice(1),
  `${HASH}0`,
  `${HASH}00`,
  `0x0x${HASH}`,
  `x${HASH}`,
  "g".repeat(64),
  `${HASH}\n`,
  ` ${HASH}`,
  HASH.slice(2).concat("é"),
  "x".repeat(10_000),
];

describe("input of the integrity-proof API", function () {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  afterEach(async () => {
    assert.equal((await server.get("/api/v1/status")).status, 200, "the server still responds");
  });

  const send = (body: unknown, headers?: Record<string, string>) => server.post("/api/v1/proof", body, headers);
  const good = () => ({ document_id: "d", hash: HASH, metadata: { type: "t", timestamp: 1, source: "s" } });

  function problem(response: HttpResponse, status: number, path?: string): void {
    assert.equal(response.status, status, response.text);
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json\b/);
    const { type, title, detail, errors } = response.body;
    assert.isString(type);
    assert.isTrue(URL.canParse(type), "type is a URI");
    for (const text of [title, detail]) {
      assert.isString(text);
      assert.isNotEmpty(text);
    }
    assert.strictEqual(response.body.status, status);
    assert.notMatch(response.text, /node_modules|\.ts:|node:internal|\/work\//);
    if (path === undefined) return;
    assert.isNotEmpty(errors);
    for (const error of errors) {
      assert.hasAllKeys(error, ["path", "message"]);
      assert.isNotEmpty(error.message);
    }
    assert.include(
      errors.map((error: { path: string }) => error.path),
      path,
    );
  }

  const fields: readonly (readonly [path: string, values: readonly unknown[]])[] = [
    ["document_id", [undefined, ...NOT_TEXT, "", "x".repeat(513), "a\0b", ".", ".."]],
    ["hash", [undefined, ...NOT_A_HASH]],
    ["metadata", [null, 1, "x", true, [], [{}]]],
    ["metadata.type", [...NOT_TEXT, "x".repeat(129), "\0"]],
    ["metadata.source", [...NOT_TEXT, "x".repeat(257), "\0"]],
    ["metadata.timestamp", [null, "1", true, [1], {}, 1.5, -1, -0.5, 2 ** 53, 1e300, "2026-01-01", Date.now()]],
  ];
  for (const [path, values] of fields) {
    it(`rejects every invalid ${path} and names it`, async () => {
      for (const value of values) {
        const [first = "", second] = path.split(".");
        const body: Record<string, unknown> = good();
        if (second === undefined) body[first] = value;
        else body[first] = { ...good().metadata, [second]: value };
        problem(await send(body), 400, path);
      }
    });
  }

  it("reports a number that is too large as such, and a text as no number", async () => {
    for (const [timestamp, reason] of [
      [2 ** 60, /^metadata\.timestamp: is too large/],
      [String(2 ** 60), /^metadata\.timestamp: is not a number/],
    ] as const) {
      assert.match((await send({ ...good(), metadata: { timestamp } })).body.detail, reason);
    }
  });

  it("reports the limits of a page size", async () => {
    for (const [path, most] of [
      ["/api/v1/alerts", 1_000],
      [`/api/v1/proof/tx/0x${HASH}`, 100],
      ["/explorer/api/blocks", 100],
    ] as const) {
      for (const limit of [-1, 0, most + 1, 100_000]) {
        const response = await server.get(`${path}?limit=${limit}`);
        problem(response, 400, "limit");
        assert.equal(response.body.detail, `limit: is not between 1 and ${most}`);
      }
      for (const limit of ["", "x", "1.5"]) problem(await server.get(`${path}?limit=${limit}`), 400, "limit");
    }
  });

  it("gives a hint at seconds for a time in milliseconds", async () => {
    const response = await send({ document_id: "x", hash: HASH, metadata: { timestamp: Date.now() } });
    assert.include(
      response.body.detail,
      "metadata.timestamp: is more than a day ahead; times are in seconds, not milli",
    );
  });

  it("rejects a key that appears twice, of which parsers keep one value", async () => {
    for (const [body, path] of [
      [`{"document_id":"a","document_id":"b","hash":"${HASH}"}`, "document_id"],
      [`{"document_id":"a","hash":"${HASH}","metadata":{"type":"x","\\u0074ype":"y"}}`, "metadata.type"],
    ] as const) {
      const response = await server.post("/api/v1/proof", body);
      problem(response, 400, path);
      assert.include(response.body.detail, "the key appears twice");
    }
  });

  it("names all faults at once", async () => {
    const { errors } = (await send({ hash: "x", metadata: { timestamp: "now" } })).body;
    assert.sameMembers(
      errors.map((error: { path: string }) => error.path),
      ["document_id", "hash", "metadata.timestamp"],
    );
  });

  it("stores nothing of rejected input", async () => {
    const { body } = await server.get("/api/v1/status");
    assert.strictEqual(body.journal.records, 0);
    assert.strictEqual(body.journal.pending, 0);
  });

  it("rejects bodies that are no JSON object", async () => {
    for (const path of ["/api/v1/proof", "/api/v1/verify"]) {
      for (const body of [
        "",
        " ",
        "null",
        "true",
        "0",
        '""',
        '"text"',
        "[]",
        "[{}]",
        "{",
        "nul",
        "<xml/>",
        '{"a":NaN}',
        "[".repeat(5000),
      ]) {
        problem(await server.post(path, body), 400);
      }
      problem(await server.post(path, "{}"), 400);
    }
  });

  it("rejects text without a UTF-8 form, deep nesting and numbers that would change", async () => {
    const body = (text: string) => `{"document_id":"odd","hash":"${HASH}","metadata":${text}}`;
    for (const text of [
      '{"a":"\\ud800"}',
      '{"\\udc00":1}',
      '{"source":"\\ud800x"}',
      '{"a":1e999}',
      '{"a":9007199254740993}',
      '{"timestamp":1e999}',
      `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`,
      '{"__proto__":{"timestamp":1}}',
    ]) {
      problem(await send(body(text)), 400);
    }
    problem(await send(body("{}").replace('"odd"', '"\\ud800"')), 400, "document_id");
    problem(await server.get("/api/v1/proof/odd"), 404);
  });

  it("rejects bytes that are not UTF-8 instead of changing them", async () => {
    const bytes = Buffer.from(JSON.stringify({ ...good(), document_id: "latin1 \u00ff" }), "latin1");
    const response = await server.get("/api/v1/proof", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: bytes,
    });
    problem(response, 400);
    problem(await server.get(`/api/v1/proof/${encodeURIComponent("latin1 \uFFFD")}`), 404);
  });

  it("rejects bodies larger than 64 KiB as too large", async () => {
    for (const size of [64 * 1024, 1024 * 1024]) {
      problem(await send({ ...good(), metadata: { filler: "x".repeat(size) } }), 413);
    }
  });

  it("accepts JSON only", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/html", "nonsense"]) {
      problem(await send(JSON.stringify(good()), { "Content-Type": type }), 415);
      problem(await server.post("/api/v1/verify", JSON.stringify({ hash: HASH }), { "Content-Type": type }), 415);
    }
    problem(await send(good(), { "Content-Encoding": "x-unknown" }), 415);
    // A web page can send one without a media type to another server, without that server's consent.
    const untyped = { method: "POST", body: new Blob([JSON.stringify(good())]) };
    problem(await request(`${server.url}/api/v1/proof`, untyped), 415);
    const broken = await send(good(), { "Content-Encoding": "gzip" });
    problem(broken, 400);
  });

  it("rejects invalid hashes to verify", async () => {
    for (const value of NOT_A_HASH) {
      for (const name of ["hash", "document_hash"]) {
        problem(await server.post("/api/v1/verify", { [name]: value }), 400, name);
        if (typeof value === "string")
          problem(await server.get(`/api/v1/verify?${name}=${encodeURIComponent(value.slice(0, 1000))}`), 400, name);
      }
    }
    for (const query of [
      "",
      "?",
      "?hash",
      "?x=1",
      `?HASH=${HASH}`,
      `?hash[]=${HASH}`,
      `?hash[a]=${HASH}`,
      `?hash=${HASH}&hash=${"cd".repeat(32)}`,
    ]) {
      problem(await server.get(`/api/v1/verify${query}`), 400);
    }
    problem(await server.post("/api/v1/verify", {}), 400, "document_hash");
    problem(await server.get("/api/v1/verify"), 400, "hash");
    for (const path of [
      "/api/v1/verify?hsh=1",
      "/api/v1/recovery/gap?as_of=1",
      "/api/v1/status?x=",
      "/api/v1/proof/a?q=1",
    ])
      problem(await server.get(path), 400, /\?(\w+)/.exec(path)?.[1]);
  });

  it("rejects invalid ids and transaction hashes", async () => {
    for (const path of ["%", "%E0%A4%A", "%ff"]) {
      problem(await server.get(`/api/v1/proof/${path}`), 400);
      problem(await server.get(`/api/v1/proof/tx/${path}`), 400);
    }
    for (const hash of [HASH, `0x${HASH}0`, "0x", "x", `0x${"g".repeat(64)}`])
      problem(await server.get(`/api/v1/proof/tx/${hash}`), 400);
    problem(await server.get(`/api/v1/proof/tx/0x${HASH}`), 404);
  });

  it("rejects other methods with 405 and the allowed ones", async () => {
    const paths: readonly (readonly [path: string, allowed: readonly string[]])[] = [
      ["/api/v1/proof", ["POST"]],
      ["/api/v1/proof/batch", ["POST"]],
      ["/api/v1/proof/x", ["GET"]],
      [`/api/v1/proof/tx/0x${HASH}`, ["GET"]],
      ["/api/v1/verify", ["GET", "POST"]],
      ["/api/v1/status", ["GET"]],
      ["/metrics", ["GET"]],
    ];
    for (const [path, allowed] of paths) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        // GET looks up a document with the id "batch".
        if (allowed.includes(method) || (method === "GET" && path === "/api/v1/proof/batch")) continue;
        const response = await server.get(path, { method });
        problem(response, 405);
        const named = (response.headers.get("allow") ?? "").split(",").map((name) => name.trim());
        assert.includeMembers(named, [...allowed], `${method} ${path}`);
        assert.notInclude(named, method);
      }
    }
  });

  it("responds to HEAD as to GET, without a body", async () => {
    for (const path of ["/api/v1/status", "/metrics", `/api/v1/verify?hash=${HASH}`]) {
      const response = await server.get(path, { method: "HEAD" });
      assert.equal(response.status, 200, path);
      assert.isEmpty(response.text);
    }
  });

  it("rejects unknown paths with 404", async () => {
    for (const path of [
      "/api/v1",
      "/api/v1/",
      "/api/v1/x",
      "/api/v1/proof/a/b",
      "/api/v1/proof/tx/a/b",
      "/api/v2/proof",
      "/x",
      "/metrics/x",
    ]) {
      for (const method of ["GET", "POST"]) {
        const response = await server.get(path, { method });
        assert.oneOf(response.status, [400, 404], `${method} ${path}: ${response.text}`);
        assert.match(response.headers.get("content-type") ?? "", /json/, `${method} ${path}`);
        assert.notInclude(response.text, "<");
      }
    }
    for (const path of ["/api/v1/x", "/x"]) problem(await server.get(path), 404);
  });

  it("accepts missing and empty metadata, and the minimum and maximum time", async () => {
    for (const body of [
      { document_id: "min", hash: HASH },
      { document_id: "empty", hash: HASH, metadata: {} },
    ]) {
      assert.equal((await send(body)).status, 201);
    }
    const tomorrow = Math.floor(Date.now() / 1000) + 86_000;
    for (const timestamp of [0, tomorrow]) {
      const response = await send({ document_id: "times", hash: HASH, metadata: { timestamp } });
      assert.equal(response.status, 201);
      assert.strictEqual(response.body.proof.metadata.timestamp, timestamp);
    }
    const long = {
      document_id: "x".repeat(512),
      hash: HASH,
      metadata: { type: "y".repeat(128), source: "z".repeat(256) },
    };
    assert.equal((await send(long)).status, 201);
    // Characters count, not what JavaScript makes of them.
    const lock = "\u{1f512}";
    const wide = {
      document_id: lock.repeat(512),
      hash: HASH,
      metadata: { type: lock.repeat(128), source: lock.repeat(256) },
    };
    assert.equal((await send(wide)).status, 201);
    assert.equal(
      (await server.get(`/api/v1/proof/${encodeURIComponent(wide.document_id)}`)).body.proof.document_id,
      wide.document_id,
    );
    assert.equal((await send({ ...wide, document_id: lock.repeat(513) })).status, 400);
  });
});
