import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, type Hostile, SOURCE } from "./hostile.ts";

const MIB = 1024 * 1024;
/** Time between two pieces of a slow body: a socket that moves at all. */
const DRIP_MILLISECONDS = 1_000;

/** What a connection does until it ends. */
type Behaviour = (socket: Socket, signal: AbortSignal) => Promise<void>;

/** Keeps a number of connections open; opens a new one as soon as the server closes one. */
async function hold(
  { signal, count }: Pick<Hostile, "signal" | "count">,
  url: string,
  connections: number,
  behave: Behaviour,
): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = connect({ host, port: Number(port), localAddress: SOURCE });
      socket.on("error", () => undefined);
      const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
      const abort = (): void => void socket.destroy();
      signal.addEventListener("abort", abort, { once: true });
      socket.once("connect", () => void behave(socket, signal).catch(() => socket.destroy()));
      await closed;
      signal.removeEventListener("abort", abort);
      count("closed");
      await sleep(1);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

function head(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
}

/** Sends all of a large body but its end, then a byte at a time; ends with the first response. */
function drip(path: string, length: number): Behaviour {
  return async (socket, signal) => {
    socket.on("data", () => socket.destroy());
    socket.write(head(path, { "Content-Type": "application/json", "Content-Length": length }));
    const piece = Buffer.alloc(MIB, " ");
    for (let left = length - MIB; left > 0 && !socket.destroyed; left -= piece.length) {
      if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
    while (!socket.destroyed && !signal.aborted) {
      socket.write(" ");
      await sleep(DRIP_MILLISECONDS);
    }
  };
}

/** Large bodies that never end. */
export const parkedBodies: Attack = (hostile) =>
  hold(hostile, hostile.url, 60, drip("/api/v1/recovery/verify", 16 * MIB));

/** The same at the chain's own port. */
export const parkedChainBodies: Attack = (hostile) => hold(hostile, hostile.chainUrl, 60, drip("/", 8 * MIB));

/** Thousands of connections: some say nothing, some send a header every second. */
export const manyConnections: Attack = (hostile) => {
  let opened = 0;
  return hold(hostile, hostile.url, 4_000, async (socket, signal) => {
    if ((opened += 1) % 2 === 0) return;
    socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n");
    while (!socket.destroyed && !signal.aborted) {
      await sleep(DRIP_MILLISECONDS);
      socket.write("X-More: more\r\n");
    }
  });
};

/** Requests for large responses that are never read. */
export const unreadResponses: Attack = (hostile) => {
  const paths = [
    "/docs/swagger-ui-bundle.js",
    "/api/v1/recovery/inventory",
    "/api/v1/proof/batch/" + hostile.batch.root,
  ];
  let opened = 0;
  return hold(hostile, hostile.url, 500, async (socket) => {
    socket.pause();
    const path = paths[(opened += 1) % paths.length] ?? "";
    socket.write(
      `GET ${path}${path.includes("batch") ? "?limit=1000" : ""} HTTP/1.1\r\nHost: localhost\r\n` +
        "Accept: application/x-ndjson, */*\r\n\r\n",
    );
  });
};

/** Thousands of requests on a connection, without waiting for responses. */
export const pipelinedRequests: Attack = (hostile) => {
  const requests = Buffer.from(
    `GET /api/v1/proof/${hostile.document} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(1_000),
  );
  return hold(hostile, hostile.url, 64, async (socket, signal) => {
    socket.on("data", () => hostile.count("data"));
    while (!socket.destroyed && !signal.aborted) {
      if (!socket.write(requests)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
  });
};

/** Rows to compare, without an end. */
export const endlessRows: Attack = (hostile) => {
  const row = (): string =>
    `{"document_id":"${Math.random()}","hash":"${Math.random().toString(16).slice(2, 10).padEnd(64, "0")}"}\n`;
  return hold(hostile, hostile.url, 8, async (socket, signal) => {
    socket.on("data", () => hostile.count("data"));
    socket.write(
      head("/api/v1/recovery/verify", { "Content-Type": "application/x-ndjson", "Transfer-Encoding": "chunked" }),
    );
    while (!socket.destroyed && !signal.aborted) {
      const rows = Array.from({ length: 1_000 }, row).join("");
      const isRoom = socket.write(`${rows.length.toString(16)}\r\n${rows}\r\n`);
      if (!isRoom) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
  });
};
