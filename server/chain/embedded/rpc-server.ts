import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError, reasonOf } from "../../errors.ts";
import { BodyBudget } from "../../kit/body-budget.ts";
import { failure, type RpcDispatcher } from "./rpc-dispatcher.ts";

const HOST = "127.0.0.1";
const MIB = 1024 * 1024;
/** Eight of the largest transactions, or a thousand of usual ones. */
const LARGEST_BODY = 2 * MIB;
/** Bodies up to this size have a budget of their own. */
const SMALL_BODY = 64 * 1024;
/** Maximum time for a request's headers, and for all of it: a local program sends it at once. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
const MOST_CONNECTIONS = 1_024;
const KEEP_ALIVE_MS = 60_000;
const GRACE_MS = 1_000;
/** Names of this machine: any other Host header belongs to a web page whose DNS name points here. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** For bodies that are received or processed: in total, and for one address of this machine. */
const newBudgets = () => ({ small: new BodyBudget(16 * MIB, 8 * MIB), large: new BodyBudget(32 * MIB, 16 * MIB) });
type Budgets = ReturnType<typeof newBudgets>;

/** The JSON-RPC port of the chain. */
export interface RpcServer {
  readonly url: string;
  /** Accepts no more requests, waits briefly for those in flight, and frees the port. */
  close(): Promise<void>;
}

/** Serves JSON-RPC over HTTP on loopback. */
export async function serveRpc(port: number, dispatcher: Pick<RpcDispatcher, "respond">): Promise<RpcServer> {
  const options = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 };
  const budgets = newBudgets();
  const server = createServer(options, (request, response) => {
    handle(request, response, budgets, dispatcher).catch((error: unknown) =>
      reply(response, 500, failure(null, -32603, reasonOf(error))),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = MOST_CONNECTIONS;
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
  budgets: Budgets,
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
  const declared = Number(request.headers["content-length"] ?? LARGEST_BODY);
  if (declared > LARGEST_BODY) return reply(response, 413, tooLarge());
  const source = request.socket.remoteAddress ?? "";
  const release = budgets[declared <= SMALL_BODY ? "small" : "large"].reserve(source, declared);
  if (release === undefined)
    return reply(response, 503, failure(null, -32005, "Too many requests are being received. Send it again later."));
  response.once("close", release);
  const body = await readBody(request);
  if (body === null) return reply(response, 413, tooLarge());
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return reply(response, 400, failure(null, -32700, "The request is not JSON."));
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  reply(response, 200, await dispatcher.respond(parsed, source, gone.signal));
}

function tooLarge(): unknown {
  return failure(null, -32600, `A request may have at most ${LARGEST_BODY} bytes.`);
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
  if (status === 413 || status === 503) headers["connection"] = "close";
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
