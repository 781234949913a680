import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { assert } from "chai";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const MIB = 1024 * 1024;
const PER_SOURCE = 4;

describe("large request bodies", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ HOST: "0.0.0.0" });
  });
  after(() => server.stop());

  /** Begins a body and sends all but its end; returns the response that comes nevertheless, or "" for none. */
  async function park(from: string): Promise<{ socket: Socket; response: string }> {
    const port = Number(new URL(server.url).port);
    const socket = connect({ host: "127.0.0.1", port, localAddress: from }).on("error", () => undefined);
    socket.write(
      `POST /api/v1/recovery/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${MIB}\r\n\r\n`,
    );
    const responded = once(socket, "data").then(([chunk]) => String(chunk));
    // The server has the head before the next request, which can use an open connection.
    await once(socket, "connect");
    socket.write(Buffer.alloc(MIB - 1, " "));
    // Whatever the server says to the head, it says before it responds to another request.
    const response = await Promise.race([responded, server.get("/api/v1/status").then(() => "")]);
    return { socket, response };
  }

  it("are few at a time from one source, and leave room for small ones and for other sources", async () => {
    const parked = [];
    for (let count = 0; count < 60; count += 1) parked.push(await park("127.0.0.1"));
    assert.lengthOf(
      parked.filter(({ response }) => response === ""),
      PER_SOURCE,
    );
    for (const { response } of parked) {
      if (response !== "") assert.match(response, /^HTTP\/1\.1 429 [^]*Retry-After: \d+/i);
    }
    const [document] = freshDocuments(1);
    assert.equal((await server.post("/api/v1/proof", document)).status, 201);
    const other = await park("127.0.0.2");
    assert.equal(other.response, "", "another source has room");
    for (const { socket } of [...parked, other]) socket.destroy();
  });

  it("are admitted again when those before them have ended", async () => {
    const documents = freshDocuments(1_000).map(({ document_id, hash }) => ({ document_id, hash }));
    for (let count = 0; count < 2 * PER_SOURCE; count += 1) {
      const { status, text } = await server.post("/api/v1/recovery/verify", {
        documents,
        filler: "x".repeat(MIB / 2),
      });
      assert.equal(status, 200, text.slice(0, 300));
    }
  });

  for (const [name, text, path] of [
    ["numbers", `[${"0,".repeat(500_000)}0]`, "recovery/verify"],
    ["empty documents", `{"documents":[${"{},".repeat(300_000)}{}]}`, "recovery/verify"],
    ["lists in lists", "[".repeat(MIB - 10), "recovery/verify"],
    ["more than a body may have, compressed to a few kilobytes", `[${"0,".repeat(8 * MIB)}0]`, "proof/batch"],
  ] as const) {
    it(`are refused before they are parsed: ${name}`, async () => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const body = gzipSync(text);
      const response = await fetch(`${server.url}/api/v1/${path}`, { method: "POST", headers, body });
      assert.equal(response.status, 413);
      assert.isBelow((await response.text()).length, 1_000);
    });
  }

  it("of valid documents are kept as they are", async () => {
    const metadata = { text: '\u0000\u2028 \u{1f600} ",[{', list: [1.5, null, true, [], {}] };
    const documents = freshDocuments(1_000).map((document) => ({ ...document, metadata }));
    const response = await server.post("/api/v1/proof/batch", { documents, comment: "x".repeat(MIB) });
    assert.equal(response.status, 201, response.text.slice(0, 300));
    for (const { id } of [response.body.proofs.at(0), response.body.proofs.at(-1)])
      assert.deepInclude((await server.get(`/api/v1/proof/${id}`)).body.proof.metadata, metadata);
  });

  it("that are not JSON get an error that says so", async () => {
    const response = await server.post("/api/v1/recovery/verify", `{"documents":["${"a".repeat(MIB / 2)}`);
    assert.equal(response.status, 400, response.text.slice(0, 300));
  });

  it("of faulty documents get an error of limited length", async () => {
    const headers = { "Content-Type": "application/json" };
    const body = `{"documents":[${"{},".repeat(39_000)}{}]}`;
    const response = await fetch(`${server.url}/api/v1/recovery/verify`, { method: "POST", headers, body });
    assert.equal(response.status, 400);
    assert.isBelow((await response.text()).length, 300_000);
  });
});
