import { Agent, get } from "node:http";
import { connect } from "node:net";
import { assert } from "chai";
import express from "express";
import { noteSource } from "../../../server/http/access/source.ts";
import { listen } from "../../../server/http/listener.ts";
import { heavyRequests } from "../../../server/http/source-limits.ts";
import { NetworkList } from "../../../server/kit/network-list.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const PER_SECOND = 20;
/** In ten seconds. */
const REQUESTS = 10 * PER_SECOND;

interface Outcome {
  readonly status: number;
  readonly retryAfter: number;
  readonly bytes: number;
}

describe("the rate of a source", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ REQUEST_RATE: String(PER_SECOND), TRUSTED_PROXIES: "127.0.0.9" });
  });
  after(() => server.stop());

  function send(from: string, path: string, forwarded?: string): Promise<Outcome> {
    const agent = new Agent({ localAddress: from });
    const headers = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    return new Promise((resolve, reject) => {
      get(new URL(path, server.url), { agent, headers }, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () => {
          const retryAfter = Number(response.headers["retry-after"] ?? 0);
          resolve({ status: response.statusCode ?? 0, retryAfter, bytes });
        });
      }).on("error", reject);
    });
  }

  const many = (count: number, from: string, forwarded?: string): Promise<Outcome[]> =>
    Promise.all(Array.from({ length: count }, () => send(from, "/livez", forwarded)));
  const countOf = (outcomes: readonly Outcome[], status: number): number =>
    outcomes.filter((outcome) => outcome.status === status).length;

  // Security, network: cannot use the thread up with requests of any kind: a source has a rate; refusals are slow
  it("refuses more, after a second, and no other source", async () => {
    const start = performance.now();
    const outcomes = await many(REQUESTS + 5, "127.0.0.2");
    assert.isAtLeast(performance.now() - start, 1_000);
    assert.equal(countOf(outcomes, 200), REQUESTS);
    assert.equal(countOf(outcomes, 429), 5);
    for (const { status, retryAfter } of outcomes) {
      if (status !== 429) continue;
      assert.isAtLeast(retryAfter, 1);
      assert.isAtMost(retryAfter, 10);
    }
    assert.equal((await send("127.0.0.3", "/livez")).status, 200);
  });

  // Security, network: is charged for the bytes of its requests and responses
  it("counts bytes: a large response is several requests", async () => {
    const outcomes: Outcome[] = [];
    while (outcomes.at(-1)?.status !== 429) outcomes.push(await send("127.0.0.4", "/openapi.json"));
    const [first = { bytes: 0 }] = outcomes;
    const cost = 1 + Math.floor(first.bytes / (16 * 1024));
    assert.isAbove(cost, 4);
    assert.isAtLeast(outcomes.length - 1, Math.floor(REQUESTS / (cost + 1)));
    assert.isAtMost(outcomes.length - 1, Math.ceil(REQUESTS / cost));
  });

  it("is that of the address that a trusted proxy forwards; a proxy itself has none", async () => {
    assert.equal(countOf(await many(REQUESTS + 1, "127.0.0.9", "10.1.1.1"), 429), 1);
    assert.equal(countOf(await many(1, "127.0.0.9", "10.1.1.2"), 200), 1);
    assert.equal(countOf(await many(REQUESTS + 1, "127.0.0.9"), 429), 0);
    assert.equal(countOf(await many(REQUESTS + 1, "127.0.0.5", "10.1.1.3"), 429), 1, "others are not believed");
  });
});

describe("requests that take long", () => {
  it("end with their connection, also behind another response", async () => {
    const app = express();
    app.use(noteSource({ networks: new NetworkList(["127.0.0.0/8"]), proxies: new NetworkList([]) }));
    app.get("/first", () => undefined);
    let begun = 0;
    app.get("/heavy", heavyRequests(1), (_request, response) => {
      begun += 1;
      response.send("done");
    });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const line = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.on("error", () => undefined).write(line("/first") + line("/heavy"));
    await eventually(async () => assert.equal(begun, 1));
    socket.destroy();
    const response = await fetch(`${server.url}/heavy`);
    assert.equal(await response.text(), "done");
    await server.close();
  });
});
