import { gzipSync } from "node:zlib";
import { assert } from "chai";
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

  it("get an error of limited length for faulty documents", async () => {
    const { statuses, longest } = await send(`{"documents":[${"{},".repeat(99_999)}{}]}`);
    for (const status of statuses) assert.include([400, 503], status);
    assert.include(statuses, 400);
    assert.isBelow(longest, 300_000);
  });
});
