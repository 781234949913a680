import { assert } from "chai";
import { type HttpResponse, request } from "../../support/http.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const HASH = "ab".repeat(32);
const NDJSON = "application/x-ndjson";
const ROW = { document_id: "d", hash: HASH };
const LINE = JSON.stringify(ROW);
const NOT_TEXT: readonly unknown[] = [null, 1, true, ["1"], { "1": 1 }];

const BAD_IDS: readonly unknown[] = [undefined, ...NOT_TEXT, "", "x".repeat(513), "a\0b"];
const BAD_HASHES: readonly unknown[] = [
  undefined,
  ...NOT_TEXT,
  "",
  "0x",
  HASH.slice(1),
  `${HASH}0`,
  "g".repeat(64),
  ` ${HASH}`,
];
const BAD_MOMENTS = [
  "",
  " ",
  "x",
  "-1",
  "1.5",
  "1e3",
  "0",
  "2026",
  "20260101",
  "2026-1-1",
  "2026-13-01",
  "2026-02-30",
  "2026-02-30T00:00:00Z",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "2026-01-01T25:00:00Z",
  "1969-12-31",
  "1234567890123",
  "2026-01-01T00:00:00+25:00",
  "now",
];

describe("input of the recovery endpoints", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    assert.equal((await server.post("/api/v1/proof", { ...ROW, metadata: { timestamp: 1 } })).status, 201);
  });
  after(() => server.stop());

  const verify = (body: unknown) => server.post("/api/v1/recovery/verify", body);
  const stream = (
    body: string | Buffer,
    { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ) =>
    request(`${server.url}/api/v1/recovery/verify${query}`, {
      method: "POST",
      body,
      headers: { "Content-Type": NDJSON, ...headers },
    });

  function refused(response: HttpResponse, status: number, path?: string): void {
    assert.equal(response.status, status, response.text.slice(0, 500));
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json\b/);
    assert.notMatch(response.text, /node_modules|\.ts:|node:internal|\/work\//);
    if (path !== undefined)
      assert.include(
        response.body.errors.map((error: { path: string }) => error.path),
        path,
        response.text,
      );
  }
  const lines = ({ text }: HttpResponse): ParsedJson[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("has every field of a row checked, and faults named", async () => {
    for (const [field, values] of [
      ["document_id", BAD_IDS],
      ["hash", BAD_HASHES],
    ] as const) {
      for (const value of values) {
        const row = { ...ROW, [field]: value };
        refused(await verify({ documents: [ROW, row] }), 400, `documents.1.${field}`);
        refused(await stream(`${LINE}\n${JSON.stringify(row)}\n`), 400, `line 2.${field}`);
      }
    }
    for (const row of [null, 1, "x", true, []]) {
      refused(await verify({ documents: [row] }), 400, "documents.0");
      refused(await stream(JSON.stringify(row)), 400, "line 1");
    }
  });

  it("accepts JSON documents, from one to the maximum", async () => {
    for (const body of [[], null, 1, '"x"']) refused(await verify(body), 400, "body");
    for (const documents of [undefined, null, 1, {}, []]) refused(await verify({ documents }), 400, "documents");
    refused(await verify("{"), 400);
    refused(await verify(""), 400);
    const space = " ".repeat(1024 * 1024 - 200);
    assert.equal((await verify(`{"documents": [${LINE}]${space}}`)).status, 200);
    const larger = await verify(`{"documents": [${LINE}]${space.repeat(2)}}`);
    refused(larger, 413);
    assert.match(larger.body.detail, /send the documents as NDJSON/);
  });

  it("accepts lines of JSON in UTF-8 of limited length; the first fault is named", async () => {
    refused(await stream(`${LINE}\n\n{"document_id":\n${LINE}\n`), 400, "line 3");
    refused(await stream(`${LINE}\n${LINE} ${LINE}\n`), 400, "line 2");
    refused(
      await stream(Buffer.concat([Buffer.from(`${LINE}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])])),
      400,
      "line 2",
    );
    for (const end of ["", "\n", `\n${LINE}\n`]) refused(await stream(`${LINE}\n"${"x".repeat(70_000)}"${end}`), 413);
    refused(await stream(`${LINE}\n"${"x".repeat(3_000_000)}"\n`), 413);
    for (const empty of ["\n", "\r\n \n\n", " "]) refused(await stream(empty), 400, "body");
    refused(await stream(""), 400);
  });

  it("accepts any line ending, no end of the last line, and all media types for lines", async () => {
    for (const type of [NDJSON, "application/ndjson", "application/jsonl", `${NDJSON}; charset=utf-8`]) {
      const response = await stream(`\n${LINE}\r\n\r\n  ${LINE}`, { headers: { "Content-Type": type } });
      assert.equal(response.status, 200, response.text);
      assert.match(response.headers.get("content-type") ?? "", /^application\/x-ndjson\b/);
      assert.deepEqual(
        lines(response).map(({ result }) => result),
        ["match", "match", undefined],
      );
    }
  });

  it("has a fault after returned rows in the last line", async () => {
    const response = await stream(`${`${LINE}\n`.repeat(5_000)}nonsense\n${`${LINE}\n`.repeat(200_000)}`);
    assert.equal(response.status, 200);
    const rows = lines(response);
    const { error } = rows.pop();
    assert.isTrue(rows.length > 0 && rows.length <= 5_000 && rows.every(({ result }) => result === "match"));
    assert.equal(error.status, 400);
    assert.include(error.detail, "line 5001");
    // The connection is not left in the middle of anything.
    assert.equal((await server.get("/api/v1/status")).status, 200);
  });

  it("that was rejected or aborted creates no verification", async () => {
    assert.equal((await server.get("/api/v1/recovery/gap")).status, 200);
    const before = (await server.get("/api/v1/recovery/gap")).body.verification_id;
    await stream(`${`${LINE}\n`.repeat(5_000)}nonsense\n`);
    await stream("nonsense");
    assert.equal((await server.get("/api/v1/recovery/gap")).body.verification_id, before);
  });

  it("of other types and encodings is rejected", async () => {
    for (const type of ["text/plain", "text/csv", "application/octet-stream", "multipart/form-data"]) {
      refused(await stream(LINE, { headers: { "Content-Type": type } }), 415);
    }
    for (const encoding of ["gzip", "br", "x"])
      refused(await stream(LINE, { headers: { "Content-Encoding": encoding } }), 415);
    assert.equal((await stream(LINE, { headers: { "Content-Encoding": "identity" } })).status, 200);
  });

  it("accepts times as dates, date-times with a zone, or Unix seconds", async () => {
    for (const moment of BAD_MOMENTS) {
      const text = encodeURIComponent(moment);
      refused(await stream(LINE, { query: `?as_of=${text}` }), 400, "as_of");
      refused(await server.get(`/api/v1/recovery/inventory?date=${text}`), 400, "date");
      refused(await verify({ as_of: moment, documents: [ROW] }), 400, "as_of");
    }
    for (const moment of [null, -1, 1.5, true, [], {}, 2 ** 60])
      refused(await verify({ as_of: moment, documents: [ROW] }), 400, "as_of");
    const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString();
    for (const moment of [Date.now(), Date.now() * 1000, String(Date.now()), ahead]) {
      const response = await verify({ as_of: moment, documents: [ROW] });
      refused(response, 400, "as_of");
      assert.include(response.body.detail, "is more than a day ahead; times are in seconds, not milliseconds");
    }
    const plus = await server.get("/api/v1/recovery/inventory?date=2024-02-29T00:00:00+01:00");
    refused(plus, 400, "date");
    assert.include(plus.body.detail, "%2B");
    assert.equal((await server.get("/api/v1/recovery/inventory?date=2024-02-29T00:00:00%2B01:00")).status, 200);
    const twice = await stream(LINE.replace("{", '{"hash":"",'));
    refused(twice, 400, "line 1.hash");
    refused(await server.get("/api/v1/recovery/inventory?date=2026-01-01&date=2026-01-02"), 400, "date");
    for (const [moment, seconds] of [
      ["2024-02-29", 1_709_251_199],
      ["2024-02-29T00:00:00Z", 1_709_164_800],
      ["2024-02-29T00:00:00.999+01:00", 1_709_161_200],
      ["2024-02-29T12:30-05:00", 1_709_227_800],
      ["1709164800", 1_709_164_800],
      [1_709_164_800, 1_709_164_800],
      [0, 0],
    ] as const) {
      const { status, body } = await verify({ as_of: moment, documents: [ROW] });
      assert.equal(status, 200);
      assert.equal(body.as_of, seconds);
      assert.equal(body.documents[0].result, "unrecorded");
    }
  });

  it("accepts a time in the query or the body, or the same in both", async () => {
    const request = (query: string, as_of?: string) =>
      server.post(`/api/v1/recovery/verify?as_of=${query}`, {
        ...(as_of === undefined ? {} : { as_of }),
        documents: [ROW],
      });
    for (const response of [await request("2024-02-29"), await request("2024-02-29", "2024-02-29T23:59:59Z")]) {
      assert.equal(response.status, 200, response.text);
      assert.equal(response.body.as_of, 1_709_251_199);
      assert.equal(response.body.documents[0].result, "unrecorded");
    }
    refused(await request("2024-02-29", "2024-02-28"), 400, "as_of");
    for (const moment of BAD_MOMENTS) refused(await request(encodeURIComponent(moment)), 400, "as_of");
  });

  it("accepts pages by limit and cursor, a verification by its id", async () => {
    for (const path of ["inventory", "gap", "gap?against=journal"]) {
      const join = path.includes("?") ? "&" : "?";
      const limited = (limit: string) => server.get(`/api/v1/recovery/${path}${join}limit=${limit}`);
      for (const limit of ["0", "-1", "101", "100000", "9".repeat(400)]) {
        const response = await limited(limit);
        refused(response, 400, "limit");
        assert.equal(response.body.detail, "limit: is not between 1 and 100");
      }
      for (const limit of ["", "x", "1.5", "--1", "1e3"]) {
        const response = await limited(limit);
        refused(response, 400, "limit");
        assert.equal(response.body.detail, "limit: is not a whole number");
      }
      for (const cursor of ["", "-1", "x", "1.5", "9".repeat(16)])
        refused(await server.get(`/api/v1/recovery/${path}${join}cursor=${cursor}`), 400, "cursor");
    }
    for (const id of ["", "x", "1", "../x"])
      refused(
        await server.get(`/api/v1/recovery/gap?verification_id=${encodeURIComponent(id)}`),
        400,
        "verification_id",
      );
    refused(await server.get("/api/v1/recovery/gap?verification_id=3f2c8a52-57f5-4d53-9a0e-0c8a3c3f8b11"), 404);
    refused(await server.get("/api/v1/recovery/gap?against=x"), 400, "against");
    for (const cursor of ["against=journal&cursor=1-2-3", "cursor=1"])
      refused(await server.get(`/api/v1/recovery/gap?${cursor}`), 400, "cursor");
    const known = (await verify({ documents: [ROW] })).body.verification_id;
    for (const id of [known, "3f2c8a52-57f5-4d53-9a0e-0c8a3c3f8b11"]) {
      refused(await server.get(`/api/v1/recovery/gap?against=journal&verification_id=${id}`), 400, "verification_id");
    }
  });

  it("of other methods and paths is rejected", async () => {
    for (const [path, allowed] of [
      ["verify", "POST"],
      ["inventory", "GET"],
      ["gap", "GET"],
    ] as const) {
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((one) => one !== allowed)) {
        const response = await request(`${server.url}/api/v1/recovery/${path}`, { method });
        refused(response, 405);
        assert.equal(response.headers.get("allow"), allowed);
      }
    }
    for (const path of ["", "/", "/verify/x", "/x"]) refused(await server.get(`/api/v1/recovery${path}`), 404);
  });
});
