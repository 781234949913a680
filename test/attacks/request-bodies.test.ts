import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { assert } from "chai";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const MIB = 1024 * 1024;

describe("large request bodies", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ HOST: "0.0.0.0" });
  });
  after(() => server.stop());

  /** Begins a body and sends all but its end. */
  async function park(from: string): Promise<Socket> {
    const port = Number(new URL(server.url).port);
    const socket = connect({ host: "127.0.0.1", port, localAddress: from }).on("error", () => undefined);
    socket.write(
      `POST /api/v1/recovery/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${MIB}\r\n\r\n`,
    );
    await once(socket, "connect");
    socket.write(Buffer.alloc(MIB - 1, " "));
    return socket;
  }

  /** Compares a restored document, and returns the status. */
  function compare(from: string): Promise<number> {
    const documents = freshDocuments(1).map(({ document_id, hash }) => ({ document_id, hash }));
    return new Promise((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      const url = new URL("/api/v1/recovery/verify", server.url);
      request(url, { method: "POST", headers, localAddress: from }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      })
        .on("error", reject)
        .end(JSON.stringify({ documents }));
    });
  }

  // Security, network: cannot use the memory up with unfinished large bodies: two of a source are read at a time
  it("that never end keep only their source waiting, and not its other requests", async () => {
    const parked = await Promise.all(Array.from({ length: 60 }, () => park("127.0.0.1")));
    // The server has read what it reads of them before it responds to another request.
    const [document] = freshDocuments(1);
    assert.equal((await server.post("/api/v1/proof", document)).status, 201);
    let isDone = false;
    const own = compare("127.0.0.1").finally(() => (isDone = true));
    assert.equal(await compare("127.0.0.2"), 200, "another source has its turn");
    assert.isFalse(isDone);
    for (const socket of parked) socket.destroy();
    assert.equal(await own, 200);
  });

  for (const [name, text, path] of [
    ["numbers", `[${"0,".repeat(500_000)}0]`, "recovery/verify"],
    ["empty documents", `{"documents":[${"{},".repeat(300_000)}{}]}`, "recovery/verify"],
    ["lists in lists", "[".repeat(MIB - 10), "recovery/verify"],
    ["more than a body may have, compressed to a few kilobytes", `[${"0,".repeat(8 * MIB)}0]`, "proof/batch"],
  ] as const) {
    // Security, network: cannot use the memory up with a small body that expands to millions of values
    it(`are refused before they are parsed: ${name}`, async () => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const body = gzipSync(text);
      const response = await fetch(`${server.url}/api/v1/${path}`, { method: "POST", headers, body });
      assert.equal(response.status, 413);
      assert.isBelow((await response.text()).length, 1_000);
    });
  }

  it("are refused with what is wrong when they cannot be unpacked", async () => {
    for (const [encoding, body] of [
      ["gzip", gzipSync("{}").subarray(0, 15)],
      ...["gzip", "deflate", "br", "zstd"].map((name) => [name, Buffer.from("{}")] as const),
    ] as const) {
      const headers = { "Content-Type": "application/json", "Content-Encoding": encoding };
      const response = await fetch(`${server.url}/api/v1/proof`, { method: "POST", headers, body });
      assert.equal(response.status, 400);
      assert.include(await response.text(), "the body is not compressed as Content-Encoding says", encoding);
    }
    const { status, body } = await server.get("/api/v1/proof/%ff");
    assert.deepEqual([status, body.detail], [400, "a part of the address is not percent-encoded UTF-8"]);
  });

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
