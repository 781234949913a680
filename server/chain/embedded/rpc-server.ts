import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError, reasonOf } from "../../errors.ts";
import { failure, type RpcDispatcher } from "./rpc-dispatcher.ts";

const HOST = "127.0.0.1";
const LARGEST_BODY = 8 * 1024 * 1024;
const KEEP_ALIVE_MS = 60_000;
const GRACE_MS = 1_000;
/** Names of this machine: any other Host header belongs to a web page whose DNS name points here. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** The JSON-RPC port of the chain. */
export interface RpcServer {
  readonly url: string;
  /** Accepts no more requests, waits briefly for those in flight, and frees the port. */
  close(): Promise<void>;
}

/** Serves JSON-RPC over HTTP on loopback. */
export async function serveRpc(port: number, dispatcher: Pick<RpcDispatcher, "respond">): Promise<RpcServer> {
  const server = createServer((request, response) => {
    handle(request, response, dispatcher).catch((error: unknown) =>
      reply(response, 500, failure(null, -32603, reasonOf(error))),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const bound = await listen(server, port);
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeIdleConnections();
    await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })]);
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${HOST}:${bound}`, close };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  dispatcher: Pick<RpcDispatcher, "respond">,
): Promise<void> {
  if (!LOOPBACK.test(request.headers.host ?? ""))
    return reply(
      response,
      403,
      failure(null, -32600, "The embedded chain only accepts requests to this machine's own host names."),
    );
  if (request.method !== "POST")
    return reply(response, 405, failure(null, -32600, "JSON-RPC requests are sent with POST."));
  // Without this a web page could send requests as plain text, for which browsers send no preflight.
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    return reply(response, 415, failure(null, -32600, "The content type must be application/json."));
  }
  const body = await readBody(request);
  if (body === null)
    return reply(response, 413, failure(null, -32600, `A request may have at most ${LARGEST_BODY} bytes.`));
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return reply(response, 400, failure(null, -32700, "The request is not JSON."));
  }
  reply(response, 200, await dispatcher.respond(parsed));
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return;
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers: Record<string, string | number> = { "content-length": Buffer.byteLength(text) };
  if (text !== "") headers["content-type"] = "application/json";
  if (status === 413) headers["connection"] = "close";
  response.writeHead(text === "" ? 204 : status, headers).end(text);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE" && error.code !== "EACCES") return reject(error);
      const why = error.code === "EACCES" ? "may not be used by this user" : "is in use by another program";
      reject(
        new SealbookError("port_in_use", `Port ${port} for the embedded chain ${why}. Set CHAIN_PORT to a free port.`, {
          cause: error,
        }),
      );
    });
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}
