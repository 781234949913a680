import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import express from "express";
import { CONNECTION_LIMITS, type HttpServer, listen } from "../../../server/http/listener.ts";
import { ndjsonLines } from "../../../server/http/ndjson.ts";
import { eventually } from "../../support/eventually.ts";
import { sendRaw } from "../../support/raw.ts";
import { startServer, type TestServer } from "../../support/server.ts";

/** The limits of a server in a hurry. */
const SHORT = {
  ...CONNECTION_LIMITS,
  headerMilliseconds: 400,
  requestMilliseconds: 1_000,
  inactiveMilliseconds: 1_500,
  idleMilliseconds: 400,
};
const TIMEOUT_MILLISECONDS = 4_000;
/** Whatever a connection gets from first to last, and how long it lasts. */
interface Course {
  readonly socket: Socket;
  readonly ended: Promise<{ text: string; milliseconds: number }>;
}

function open(url: string, firstBytes: string, timeoutMilliseconds = TIMEOUT_MILLISECONDS): Course {
  const start = performance.now();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => undefined);
  socket.write(firstBytes);
  const ended = new Promise<{ text: string; milliseconds: number }>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`still open: ${text}`)), timeoutMilliseconds);
    socket.on("close", () => {
      clearTimeout(late);
      resolve({ text, milliseconds: performance.now() - start });
    });
  });
  return { socket, ended };
}

/** Sends a byte now and then, as long as it can. */
async function drip(socket: Socket, byte: string, everyMilliseconds: number): Promise<void> {
  while (!socket.destroyed && socket.writable) {
    socket.write(byte);
    await sleep(everyMilliseconds);
  }
}

describe("limits of a connection", function () {
  describe("in time", function () {
    let server: HttpServer;
    /** Resolves when the server has closed the connection of a large response. */
    const cut = Promise.withResolvers<void>();
    before(async () => {
      const app = express();
      // Otherwise it writes rejected requests to the console.
      app.set("env", "test");
      app.post("/lines", async (request, response) => {
        let count = 0;
        for await (const lines of ndjsonLines(request, 1000)) count += lines.length;
        response.json({ count });
      });
      app.post("/json", express.json({ limit: "2mb" }), (request, response) => void response.json(request.body));
      app.post("/refused", (_request, response) => void response.status(415).send("no"));
      app.get("/slow", async (_request, response) => {
        await sleep(SHORT.requestMilliseconds + 100);
        response.send("at last");
      });
      app.get("/large", (_request, response) => {
        response.once("close", cut.resolve).send(Buffer.alloc(64 * 1024 * 1024));
      });
      server = await listen(app, { host: "127.0.0.1", port: 0, limits: SHORT });
    });
    after(() => server.close());
    afterEach(async () => {
      const response = await fetch(`${server.url}/json`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "[1]",
      });
      assert.deepEqual(await response.json(), [1], "others get a response");
    });

    it("close a connection without a request, or with endless headers", async () => {
      const idle = open(server.url, "");
      const half = open(server.url, "GET /slow HTTP/1.1\r\nHost: localhost\r\nX-");
      const dripping = open(server.url, "GET /slow HTTP/1.1\r\nHost: localhost\r\nX-A: ");
      void drip(dripping.socket, "a", 50);
      for (const { ended } of [idle, half, dripping]) {
        const { text, milliseconds } = await ended;
        assert.match(text, /^(HTTP\/1\.1 408 |$)/);
        assert.isBelow(milliseconds, 2_500);
      }
    });

    // Security, network: cannot block the server with a slow, endless, large or ambiguous request
    it("close a connection with an endless body, at any speed", async () => {
      for (const [path, type] of [
        ["/json", "application/json"],
        ["/lines", "application/x-ndjson"],
        ["/refused", "application/json"],
      ]) {
        const head =
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` + "Content-Length: 10000\r\n\r\n[";
        const halted = open(server.url, head);
        const dripping = open(server.url, head);
        void drip(dripping.socket, " ", 50);
        for (const { ended } of [halted, dripping]) assert.isBelow((await ended).milliseconds, 2_500);
      }
    });

    it("allow more time for the server's response than for a request", async () => {
      assert.equal(await (await fetch(`${server.url}/slow`)).text(), "at last");
    });

    it("close a connection whose client does not read the response", async () => {
      const { socket, ended } = open(server.url, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
      socket.pause();
      await cut.promise;
      socket.resume();
      assert.isBelow((await ended).text.length, 64 * 1024 * 1024);
    });

    it("close idle connections", async () => {
      const { text } = await open(server.url, "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n").ended;
      assert.match(text, /^HTTP\/1\.1 404 /);
    });
  });

  describe("for each source", () => {
    let server: HttpServer;
    let refusals = 0;
    before(async () => {
      const app = express();
      app.get("/", (_request, response) => void response.send("ok"));
      app.get("/never", () => undefined);
      app.post("/json", express.json(), (_request, response) => void response.send("ok"));
      const limits = {
        ...SHORT,
        headerMilliseconds: 60_000,
        idleMilliseconds: 60_000,
        requestMilliseconds: 60_000,
        inactiveMilliseconds: 60_000,
        connectionsPerSource: 20,
      };
      const isProxy = (address: string): boolean => address === "127.0.0.3";
      const onRefusal = (): void => void (refusals += 1);
      server = await listen(app, { host: "0.0.0.0", port: 0, limits, isProxy, onRefusal });
    });
    after(() => server.close());

    const connectFrom = (localAddress: string): Socket => {
      const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", localAddress });
      return socket.on("error", () => undefined);
    };
    /** Sends a request; returns the response, or "" if the connection is closed. */
    const respond = async (socket: Socket): Promise<string> => {
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const closed = once(socket, "close").catch(() => undefined);
      const [chunk] = await Promise.race([once(socket, "data"), closed.then(() => [""])]).catch(() => [""]);
      return String(chunk);
    };

    // Security, network: cannot use all connections up from one address
    it("limits the connections; other sources and proxies are served", async () => {
      const connectMany = async (count: number): Promise<Socket[]> => {
        const sockets = Array.from({ length: count }, () => connectFrom("127.0.0.1"));
        await Promise.all(sockets.map((socket) => once(socket, "connect")));
        return sockets;
      };
      const responses = (sockets: readonly Socket[]): Promise<string[]> => Promise.all(sockets.map(respond));
      const served = await connectMany(20);
      for (const response of await responses(served)) assert.match(response, /^HTTP\/1\.1 200 /);
      const closed = await connectMany(10);
      assert.deepEqual([...new Set(await responses(closed))], [""]);
      assert.equal(refusals, 10);
      const other = connectFrom("127.0.0.2");
      assert.match(await respond(other), /^HTTP\/1\.1 200 /);
      const ofProxy = Array.from({ length: 30 }, () => connectFrom("127.0.0.3"));
      for (const socket of ofProxy) assert.match(await respond(socket), /^HTTP\/1\.1 200 /);
      for (const socket of [other, ...ofProxy, ...served]) socket.destroy();
      // A closed connection makes room.
      await eventually(async () => {
        const again = connectFrom("127.0.0.1");
        assert.match(await respond(again), /^HTTP\/1\.1 200 /);
        again.destroy();
      });
    });
  });

  describe("in size", function () {
    let server: TestServer;
    before(async () => {
      server = await startServer();
    });
    after(() => server.stop());
    afterEach(async () => assert.equal((await server.get("/api/v1/status")).status, 200, "others get a response"));

    const requestText = (target: string, headers = "") =>
      sendRaw(server.url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);

    it("reject a URL above the maximum length", async () => {
      const response = await requestText(`/api/v1/proof/${"x".repeat(9_000)}`);
      assert.match(response, /^HTTP\/1\.1 414 [\s\S]*application\/problem\+json[\s\S]*uri_too_long/);
      assert.match(await requestText(`/${"x".repeat(100_000)}`), /^HTTP\/1\.1 431 /);
      assert.match(await requestText(`/api/v1/proof/${encodeURIComponent("\u20ac".repeat(512))}`), /^HTTP\/1\.1 404 /);
    });

    it("reject headers above the maximum size or count", async () => {
      assert.match(await requestText("/api/v1/status", `X-A: ${"x".repeat(20_000)}\r\n`), /^HTTP\/1\.1 431 /);
      assert.match(await requestText("/api/v1/status", "X-A: b\r\n".repeat(150)), /^HTTP\/1\.1 431/);
      assert.match(await requestText("/api/v1/status", "X-A: b\r\n".repeat(90)), /^HTTP\/1\.1 200 /);
    });

    it("respond to pipelined requests in order", async () => {
      const paths = Array.from({ length: 50 }, (_, number) => `/api/v1/proof/ahead-${number}`);
      const text = await sendRaw(
        server.url,
        paths
          .map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`)
          .join("\r\n")
          // The server closes the connection after the last response.
          .concat("Connection: close\r\n\r\n"),
      );
      const named = [...text.matchAll(/\\"ahead-(\d+)\\"/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        named,
        paths.map((_, number) => number),
      );
    });

    it("reject malformed and ambiguous HTTP", async () => {
      const post = "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
      for (const bytes of [
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /api/v1/status HTTP/1.1\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
        `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
        `${post}Content-Length: -1\r\n\r\n`,
        `${post}Transfer-Encoding: x\r\n\r\n`,
        `${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
      ]) {
        assert.match(await sendRaw(server.url, bytes), /^HTTP\/1\.1 400 /, bytes);
      }
    });
  });
});
