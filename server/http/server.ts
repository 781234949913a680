import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { SealbookError } from "../errors.ts";
import { every } from "../kit/interval.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  cutOffSlowClients,
  limitConnectionsPerSource,
} from "./connection-limits.ts";
import type { ListenerCertificate } from "./listener-certificate.ts";

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

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Enables HTTPS. */
  readonly certificate?: ListenerCertificate | undefined;
  readonly limits?: ConnectionLimits;
  /** Whether an address is a trusted proxy. Default: none is. */
  readonly isProxy?: (address: string) => boolean;
}

/**
 * @throws SealbookError `config_invalid` when the address cannot be listened on
 */
export async function listen(
  listener: RequestListener,
  { host, port, certificate, limits = CONNECTION_LIMITS, isProxy = () => false }: ListenOptions,
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
  limitConnectionsPerSource(server, limits, isProxy);
  cutOffSlowClients(server, limits);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    // A limit may have closed the connection; the rest of what it has sent is parsed nevertheless.
    if (!request.socket.destroyed) listener(request, response);
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
      // A kept-alive connection becomes idle only after its last response.
      const closing = every(IDLE_CHECK_MILLISECONDS, () => server.closeIdleConnections());
      const ending = setTimeout(() => server.closeAllConnections(), GRACE_MILLISECONDS);
      await closed;
      await closing.stop();
      clearTimeout(ending);
    },
  };
}
