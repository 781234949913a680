import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestHandler } from "express";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { reasonOf, SealbookError } from "../errors.ts";
import { every } from "../kit/time.ts";
import { sourceKey } from "./access/source.ts";
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
  /** Maximum time for a whole request; the longest streams take minutes. */
  readonly requestMilliseconds: number;
  /** Time without a byte in either direction after which a connection is closed: longer than any wait for the chain. */
  readonly inactiveMilliseconds: number;
  /** Time for which an idle connection is kept open. */
  readonly idleMilliseconds: number;
  readonly connections: number;
  /** Maximum number of connections from one source; proxies have no maximum. */
  readonly connectionsPerSource: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headerBytes: 16 * 1024,
  headers: 100,
  // The longest document name, percent-encoded, takes half of it.
  urlLength: 8 * 1024,
  headerMilliseconds: 10_000,
  requestMilliseconds: 3_600_000,
  inactiveMilliseconds: 900_000,
  // Longer than the idle time of common proxies, which otherwise would send requests on a closing connection.
  idleMilliseconds: 65_000,
  connections: 16_384,
  connectionsPerSource: 2_048,
};

/** Rejects addresses above the maximum length. */
export function urlLimit({ urlLength } = CONNECTION_LIMITS): RequestHandler {
  return (request, _response, next) => {
    if (request.url.length > urlLength)
      throw new SealbookError("uri_too_long", `the address is longer than ${urlLength} characters`);
    next();
  };
}

/**
 * Limits the connections of a source: one machine cannot use all connections of the server. Further ones are closed.
 * @param isProxy Whether an address is a proxy, whose connections are of many clients
 */
function limitConnectionsPerSource(
  server: Server,
  { connectionsPerSource }: ConnectionLimits,
  { isProxy, onRefusal }: Required<Pick<ListenOptions, "isProxy" | "onRefusal">>,
): void {
  const connections = new Map<string, number>();
  server.on("drop", onRefusal);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    if (isProxy(address)) return;
    const source = sourceKey(address);
    const count = connections.get(source) ?? 0;
    if (count >= connectionsPerSource) {
      onRefusal();
      socket.destroy();
      return;
    }
    connections.set(source, count + 1);
    socket.once("close", () => {
      const left = (connections.get(source) ?? 1) - 1;
      if (left === 0) connections.delete(source);
      else connections.set(source, left);
    });
  });
}

const IDLE_CHECK_MILLISECONDS = 50;
const GRACE_MILLISECONDS = 5_000;
/** Maximum number of pending connections while the process is busy: thousands of clients may connect after a pause. */
const BACKLOG = 8_192;

/** A listening HTTP server. */
export interface HttpServer {
  readonly url: string;
  /**
   * Stops accepting connections, completes the request in flight on each of them, and closes the rest after a grace
   * period.
   */
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
 * Follows the newest response of each connection.
 * @returns a function after which these responses say that their connections close: the next request of a client on
 *   one would get no response
 */
function connectionCloser(server: Server, event: "connection" | "secureConnection"): () => void {
  const newest = new Map<Socket, ServerResponse>();
  let isClosing = false;
  server.on(event, (socket: Socket) => socket.once("close", () => newest.delete(socket)));
  server.on("request", ({ socket }, response: ServerResponse) => {
    if (isClosing) response.shouldKeepAlive = false;
    newest.set(socket, response);
    // One that is cut off ends with its connection.
    response.once("finish", () => newest.get(socket) === response && newest.delete(socket));
  });
  return () => {
    isClosing = true;
    for (const response of newest.values()) response.shouldKeepAlive = false;
  };
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
    requestTimeout: limits.requestMilliseconds,
    keepAliveTimeout: limits.idleMilliseconds,
    connectionsCheckingInterval: Math.min(1_000, limits.headerMilliseconds / 4),
  };
  const secure = certificate === undefined ? undefined : createSecureServer({ ...certificate.options, ...options });
  const server = secure ?? createServer(options);
  server.maxHeadersCount = limits.headers;
  server.maxConnections = limits.connections;
  server.timeout = limits.inactiveMilliseconds;
  limitConnectionsPerSource(server, limits, { isProxy, onRefusal });
  const announceClose = connectionCloser(server, secure === undefined ? "connection" : "secureConnection");
  server.on("request", listener);
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (error) {
    const text = `HOST and PORT: cannot listen on ${host}:${port}: ${reasonOf(error)}`;
    throw new SealbookError("config_invalid", text, { cause: error });
  }
  const unfollow = secure && certificate?.follow((options) => secure.setSecureContext(options));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `${secure === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async close() {
      unfollow?.();
      announceClose();
      const closed = once(server, "close");
      server.close();
      // A keep-alive connection becomes idle only after a response that has begun.
      const closing = every(IDLE_CHECK_MILLISECONDS, () => server.closeIdleConnections());
      const ending = setTimeout(() => server.closeAllConnections(), GRACE_MILLISECONDS);
      await closed;
      await closing.stop();
      clearTimeout(ending);
    },
  };
}
