import { gzipSync } from "node:zlib";
import { assert } from "chai";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const MIB = 1024 * 1024;
/** More than the bodies of one source may take: two of 16 MiB are parsed at a time. */
const REQUESTS = 4;
const MAX_GROWTH_MIB = 250;

describe("JSON bodies of very many values", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  /** Sends a body of a few kilobytes that expands to 16 MiB, several times at once. */
  async function send(text: string): Promise<{ statuses: number[]; longest: number }> {
    const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    const body = gzipSync(text);
    assert.isBelow(body.length, MIB);
    const responses = await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        const response = await fetch(`${server.url}/api/v1/recovery/verify`, { method: "POST", headers, body });
        return { status: response.status, length: (await response.text()).length };
      }),
    );
    return {
      statuses: responses.map(({ status }) => status),
      longest: Math.max(...responses.map(({ length }) => length)),
    };
  }

  for (const [name, text] of [
    ["numbers", `[${"0,".repeat(8 * MIB - 10)}0]`],
    ["empty documents", `{"documents":[${"{},".repeat(5 * MIB)}{}]}`],
    ["lists in lists", "[".repeat(16 * MIB - 10)],
  ] as const) {
    it(`are refused before they are parsed: ${name}`, async () => {
      const before = process.resourceUsage().maxRSS;
      const { statuses } = await send(text);
      for (const status of statuses) assert.include([413, 503], status);
      assert.include(statuses, 413);
      assert.isBelow((process.resourceUsage().maxRSS - before) / 1024, MAX_GROWTH_MIB);
    });
  }

  it("are parsed beside other requests, and kept as they are", async () => {
    const metadata = { text: '\u0000\u2028 \u{1f600} ",[{', list: [1.5, null, true, [], {}] };
    const documents = freshDocuments(1_000).map((document) => ({ ...document, metadata }));
    const response = await server.post("/api/v1/proof/batch", { documents, comment: "x".repeat(MIB) });
    assert.equal(response.status, 201, response.text.slice(0, 300));
    for (const { id } of [response.body.proofs.at(0), response.body.proofs.at(-1)])
      assert.deepInclude((await server.get(`/api/v1/proof/${id}`)).body.proof.metadata, metadata);
  });

  it("are refused in one item, or beside the lists", async () => {
    const values = Array.from({ length: 60_000 }, () => "");
    for (const [body, path] of [
      [{ documents: [{}, { values, filler: "x".repeat(MIB) }] }, "documents.1"],
      [{ documents: [], more: { values, filler: "x".repeat(MIB) } }, ""],
    ] as const) {
      const response = await server.post("/api/v1/recovery/verify", body);
      assert.equal(response.status, 413, response.text.slice(0, 300));
      assert.equal(response.body.errors[0].path, path);
    }
  });

  it("are not JSON, and the client is told so", async () => {
    const body = `{"documents":["${"a".repeat(MIB)}`;
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${server.url}/api/v1/recovery/verify`, { method: "POST", headers, body });
    assert.equal(response.status, 400);
    assert.include(await response.text(), "the body is not JSON");
  });

  it("get an error of limited length for faulty documents", async () => {
    const { statuses, longest } = await send(`{"documents":[${"{},".repeat(99_999)}{}]}`);
    for (const status of statuses) assert.include([400, 503], status);
    assert.include(statuses, 400);
    assert.isBelow(longest, 300_000);
  });
});
