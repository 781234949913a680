import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestHandler } from "express";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { SealbookError } from "../errors.ts";
import { every } from "../kit/time.ts";
import { RETRY_SECONDS } from "./errors.ts";
import { PROBLEM_TYPE, problemOf } from "./problem.ts";
import { sourceKey } from "./access/source.ts";
import { NDJSON_TYPES } from "./ndjson.ts";
import type { ListenerCertificate } from "./listener-certificate.ts";

/** Resource limits of one connection. */
interface ConnectionLimits {
  /** Maximum bytes of a request's line and headers together. */
  readonly headerBytes: number;
  /** Maximum number of headers of a request. */
  readonly headers: number;
  /** Maximum length of path and query. */
  readonly urlLength: number;
  /** Maximum time for a request's line and headers. */
  readonly headerMilliseconds: number;
  /** Maximum time for a body of limited size. */
  readonly bodyMilliseconds: number;
  /** Bytes of such a body that a client must send in `stallMilliseconds`. */
  readonly bodyStallBytes: number;
  /** Maximum time in which a client must send or receive at least `stallBytes` while the server waits for it. */
  readonly stallMilliseconds: number;
  readonly stallBytes: number;
  /** Time for which an idle connection is kept open. */
  readonly idleMilliseconds: number;
  readonly connections: number;
  /** Maximum number of connections from one source; proxies have no maximum. */
  readonly connectionsPerSource: number;
  /** Maximum number of further connections of a source whose requests get 503; beyond it they are closed. */
  readonly refusalsPerSource: number;
  /** Maximum number of unanswered requests of a connection: common clients wait for the response. */
  readonly pipelined: number;
  /** Time for which a source that sent more gets no connection. */
  readonly refusalMilliseconds: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headerBytes: 16 * 1024,
  headers: 100,
  // The longest document name, percent-encoded, takes half of it.
  urlLength: 8 * 1024,
  headerMilliseconds: 10_000,
  bodyMilliseconds: 300_000,
  // 2 KiB a second: the largest body takes longer than it may at that rate, a usual one a few seconds.
  bodyStallBytes: 60 * 1024,
  // About the length of a row of an NDJSON body: one row in that time is enough.
  stallBytes: 100,
  stallMilliseconds: 30_000,
  // Longer than the idle time of common proxies, which otherwise would send requests on a closing connection.
  idleMilliseconds: 65_000,
  connections: 16_384,
  connectionsPerSource: 2_048,
  refusalsPerSource: 64,
  pipelined: 64,
  refusalMilliseconds: 10_000,
};

/** Rejects addresses above the maximum length. */
export function urlLimit({ urlLength } = CONNECTION_LIMITS): RequestHandler {
  return (request, _response, next) => {
    if (request.url.length > urlLength)
      throw new SealbookError("uri_too_long", `the address is longer than ${urlLength} characters`);
    next();
  };
}

/** Identifies a connection, also where TLS wraps its socket. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the response to a request of a connection above the limit of its source. */
function tooManyConnections(limit: number): RequestListener {
  const message = `this network address has more than ${limit} connections; use connections again, or wait`;
  const { status, body } = problemOf(new SealbookError("overloaded", message));
  const headers = { "Content-Type": PROBLEM_TYPE, "Retry-After": String(RETRY_SECONDS), Connection: "close" };
  return (_request, response) => void response.writeHead(status, headers).end(JSON.stringify(body));
}

/**
 * Limits the connections of a source: one machine cannot use all connections of the server. Requests of a few more get
 * 503, the rest is closed. Closes all connections of a source when one of them has very many unanswered requests, and
 * new ones for a while: a few kilobytes have thousands of requests, which are all parsed before anybody else's.
 * @param isProxy Whether an address is a proxy, whose connections are of many clients
 * @returns Whether the requests of a connection are refused
 */
function limitConnectionsPerSource(
  server: Server,
  { connectionsPerSource, refusalsPerSource, pipelined, refusalMilliseconds }: ConnectionLimits,
  { isProxy, onRefusal }: Required<Pick<ListenOptions, "isProxy" | "onRefusal">>,
): (socket: Socket) => boolean {
  const connections = new Map<string, Set<Socket>>();
  const above = new Set<string>();
  const refused = new Set<string>();
  server.on("drop", onRefusal);
  const refuse = (source: string): void => {
    refused.add(source);
    setTimeout(() => refused.delete(source), refusalMilliseconds).unref();
    for (const socket of connections.get(source) ?? []) socket.destroy();
  };
  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (isProxy(address)) return;
    const source = sourceKey(address);
    const ofSource = connections.get(source) ?? new Set();
    const isAbove = ofSource.size >= connectionsPerSource;
    if (isAbove || refused.has(source)) onRefusal();
    if (refused.has(source) || ofSource.size >= connectionsPerSource + refusalsPerSource) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    if (isAbove) above.add(peer);
    connections.set(source, ofSource.add(socket));
    socket.once("close", () => {
      above.delete(peer);
      ofSource.delete(socket);
      if (ofSource.size === 0) connections.delete(source);
    });
  });
  const unanswered = new WeakMap<Socket, number>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    const answered = (): unknown => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
    // Not at once: requests that are answered while the next ones are parsed count, too.
    response.once("close", () => setImmediate(answered));
    if (count <= pipelined || socket.destroyed) return;
    const { remoteAddress: address = "" } = socket;
    if (isProxy(address)) socket.destroy();
    else refuse(sourceKey(address));
  });
  return (socket) => above.has(peerOf(socket));
}

/** A request that is being received, or its response being sent. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  /** Bytes in both directions at the last progress. */
  bytes: number;
  movedAt: number;
}

/**
 * Closes connections of clients that make the server wait: for the rest of a body, or to read the response. Does not
 * apply while the client waits for the server, or to streams of any length that make progress.
 */
function cutOffSlowClients(server: Server, limits: ConnectionLimits): void {
  const exchanges = new Map<Socket, Exchange>();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const now = performance.now();
    // Of pipelined requests only the last one can be incomplete.
    exchanges.set(socket, { request, response, startedAt: now, bytes: bytesOf(socket), movedAt: now });
  });
  const check = (): void => {
    const now = performance.now();
    for (const [socket, exchange] of exchanges) {
      const { request, response } = exchange;
      // The body of a request that was rejected early may still arrive.
      if (socket.destroyed || (request.complete && response.writableFinished)) exchanges.delete(socket);
      else if (isTooSlow(socket, exchange, now, limits)) socket.destroy();
    }
  };
  const interval = every(Math.min(1_000, limits.stallMilliseconds / 4), check, { unref: true });
  server.once("close", () => void interval.stop());
}

function isTooSlow(socket: Socket, exchange: Exchange, now: number, limits: ConnectionLimits): boolean {
  const { request, response } = exchange;
  // The server has yet to read the bytes that it has received.
  const awaitsBody = !request.complete && request.readableLength === 0;
  const awaitsRoom = response.writableLength > 0 || socket.writableLength > 0;
  const isBounded = !isEndless(request) || response.writableFinished;
  if (!request.complete && isBounded && now - exchange.startedAt > limits.bodyMilliseconds) return true;
  const bytes = bytesOf(socket);
  const enough = awaitsBody && isBounded ? limits.bodyStallBytes : limits.stallBytes;
  if ((!awaitsBody && !awaitsRoom) || bytes - exchange.bytes >= enough) {
    exchange.bytes = bytes;
    exchange.movedAt = now;
    return false;
  }
  return now - exchange.movedAt > limits.stallMilliseconds;
}

function isEndless({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  return NDJSON_TYPES.includes(type);
}

function bytesOf({ bytesRead, bytesWritten, writableLength }: Socket): number {
  // `bytesWritten` includes bytes that are still in the buffer.
  return bytesRead + bytesWritten - writableLength;
}

const IDLE_CHECK_MILLISECONDS = 50;
const GRACE_MILLISECONDS = 5_000;
/** Maximum number of pending connections while the process is busy: thousands of clients may connect after a pause. */
const BACKLOG = 8_192;

/** A listening HTTP server. */
export interface HttpServer {
  readonly url: string;
  /** Stops accepting connections, completes requests in flight, and closes the rest after a grace period. */
  close(): Promise<void>;
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Enables HTTPS. */
  readonly certificate?: ListenerCertificate | undefined;
  readonly limits?: ConnectionLimits;
  /** Whether an address is a trusted proxy. Default: none is. */
  readonly isProxy?: (address: string) => boolean;
  /** Called with each connection above a limit. */
  readonly onRefusal?: () => void;
}

/**
 * @throws SealbookError `config_invalid` when the address cannot be listened on
 */
export async function listen(
  listener: RequestListener,
  {
    host,
    port,
    certificate,
    limits = CONNECTION_LIMITS,
    isProxy = () => false,
    onRefusal = () => undefined,
  }: ListenOptions,
): Promise<HttpServer> {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMilliseconds,
    // A stream may take any time; `cutOffSlowClients` closes slow connections.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMilliseconds,
    connectionsCheckingInterval: Math.min(1_000, limits.headerMilliseconds / 4),
  };
  const secure = certificate === undefined ? undefined : createSecureServer({ ...certificate.options, ...options });
  const server = secure ?? createServer(options);
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;
  const isAbove = limitConnectionsPerSource(server, limits, { isProxy, onRefusal });
  const refuse = tooManyConnections(limits.connectionsPerSource);
  cutOffSlowClients(server, limits);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    // A limit may have closed the connection; the rest of what it has sent is parsed nevertheless.
    if (!request.socket.destroyed) (isAbove(request.socket) ? refuse : listener)(request, response);
  });
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SealbookError("config_invalid", `HOST and PORT: cannot listen on ${host}:${port}: ${reason}`, {
      cause: error,
    });
  }
  const unfollow = secure && certificate?.follow((options) => secure.setSecureContext(options));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `${secure === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async close() {
      unfollow?.();
      const closed = once(server, "close");
      server.close();
      // A keep-alive connection becomes idle only after its last response.
      const closing = every(IDLE_CHECK_MILLISECONDS, () => server.closeIdleConnections());
      const ending = setTimeout(() => server.closeAllConnections(), GRACE_MILLISECONDS);
      await closed;
      await closing.stop();
      clearTimeout(ending);
    },
  };
}
