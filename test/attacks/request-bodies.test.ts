import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { assert } from "chai";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const MIB = 1024 * 1024;
const LARGE = 16 * MIB;

describe("request bodies that are parked", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ HOST: "0.0.0.0" });
  });
  after(() => server.stop());

  /** Begins a body and sends all but its end; returns the response that comes nevertheless, or "" for none. */
  async function park(from: string, length: number, sent: number): Promise<{ socket: Socket; response: string }> {
    const port = Number(new URL(server.url).port);
    const socket = connect({ host: "127.0.0.1", port, localAddress: from }).on("error", () => undefined);
    socket.write(
      `POST /api/v1/recovery/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${length}\r\n\r\n`,
    );
    const responded = once(socket, "data").then(([chunk]) => String(chunk));
    // The server has the head before the next request, which can use an open connection.
    await once(socket, "connect");
    const piece = Buffer.alloc(MIB, " ");
    for (let rest = sent; rest > 0; rest -= piece.length) {
      socket.write(piece.subarray(0, Math.min(rest, piece.length)));
    }
    // Whatever the server says to the head, it says before it responds to another request.
    const response = await Promise.race([responded, server.get("/api/v1/status").then(() => "")]);
    return { socket, response };
  }

  it("use a bounded part of the memory, and leave room for small ones and for other sources", async () => {
    const parked = [];
    for (let count = 0; count < 60; count += 1) parked.push(await park("127.0.0.1", LARGE, MIB));
    const admitted = parked.filter(({ response }) => response === "");
    assert.isAtMost(admitted.length, 2);
    for (const { response } of parked) {
      if (response !== "") assert.match(response, /^HTTP\/1\.1 503 [^]*Retry-After: \d+/i);
    }
    const [document] = freshDocuments(1);
    assert.equal((await server.post("/api/v1/proof", document)).status, 201);
    const other = await park("127.0.0.2", LARGE, MIB);
    assert.equal(other.response, "", "another source has room");
    for (const { socket } of [...parked, other]) socket.destroy();
  });

  it("are admitted again when those before them have ended", async () => {
    const rows = freshDocuments(1_000).map(({ document_id, hash }) => ({ document_id, hash }));
    for (let count = 0; count < 4; count += 1) {
      const { status, text } = await server.post("/api/v1/recovery/verify", {
        documents: rows,
        filler: "x".repeat(12 * MIB),
      });
      assert.equal(status, 200, text.slice(0, 300));
    }
  });
});
