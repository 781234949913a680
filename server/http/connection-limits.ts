import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { every } from "../kit/interval.ts";
import { NDJSON_TYPES } from "./ndjson.ts";

/** How much of the server one connection may take, and for how long. */
export interface ConnectionLimits {
  /** Most bytes of a request's line and headers together. */
  readonly headerBytes: number;
  /** Most headers of a request. */
  readonly headers: number;
  /** Longest path and query. */
  readonly urlLength: number;
  /** How long a request's line and headers may take. */
  readonly headerMilliseconds: number;
  /** How long a body may take that has a largest size. */
  readonly bodyMilliseconds: number;
  /** How long a client may keep the server waiting that sends, or takes, fewer than `stallBytes`. */
  readonly stallMilliseconds: number;
  readonly stallBytes: number;
  /** How long a connection is kept for a next request. */
  readonly idleMilliseconds: number;
  readonly connections: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headerBytes: 16 * 1024,
  headers: 100,
  // The longest name of a document, percent-encoded, is half of it.
  urlLength: 8 * 1024,
  headerMilliseconds: 10_000,
  bodyMilliseconds: 300_000,
  // A row of an NDJSON body is about as long: one in that time is enough to go on.
  stallBytes: 100,
  stallMilliseconds: 30_000,
  // Longer than proxies keep theirs, which else would send on a connection that closes.
  idleMilliseconds: 65_000,
  connections: 16_384,
};

/** Refuses addresses that are out of all proportion. */
export function urlLimit({ urlLength } = CONNECTION_LIMITS): RequestHandler {
  return (request, _response, next) => {
    if (request.url.length > urlLength)
      throw new SealbookError("uri_too_long", `the address is longer than ${urlLength} characters`);
    next();
  };
}

/** A request that is being read or answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  /** What had gone over the connection, both ways, when it last went on. */
  bytes: number;
  movedAt: number;
}

/**
 * Cuts clients off that keep the server waiting: for the rest of a body, or for room to answer. Whoever waits for the
 * server is left alone, and so is a stream of any length that goes on.
 */
export function cutOffSlowClients(server: Server, limits: ConnectionLimits): void {
  const exchanges = new Map<Socket, Exchange>();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const now = performance.now();
    // Of requests that are sent ahead only the last one can be incomplete.
    exchanges.set(socket, { request, response, startedAt: now, bytes: bytesOf(socket), movedAt: now });
  });
  const check = (): void => {
    const now = performance.now();
    for (const [socket, exchange] of exchanges) {
      const { request, response } = exchange;
      // A request that was refused early still has a body to come.
      if (socket.destroyed || (request.complete && response.writableFinished)) exchanges.delete(socket);
      else if (isTooSlow(socket, exchange, now, limits)) socket.destroy();
    }
  };
  const interval = every(Math.min(1_000, limits.stallMilliseconds / 4), check, { unref: true });
  server.once("close", () => void interval.stop());
}

function isTooSlow(socket: Socket, exchange: Exchange, now: number, limits: ConnectionLimits): boolean {
  const { request, response } = exchange;
  // What was received and not taken yet is for the server to take.
  const awaitsBody = !request.complete && request.readableLength === 0;
  const awaitsRoom = response.writableLength > 0 || socket.writableLength > 0;
  const isBounded = !isEndless(request) || response.writableFinished;
  if (!request.complete && isBounded && now - exchange.startedAt > limits.bodyMilliseconds) return true;
  const bytes = bytesOf(socket);
  if ((!awaitsBody && !awaitsRoom) || bytes - exchange.bytes >= limits.stallBytes) {
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
  // Node counts as written what still waits to be.
  return bytesRead + bytesWritten - writableLength;
}
