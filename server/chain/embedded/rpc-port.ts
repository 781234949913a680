import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import express, { type ErrorRequestHandler, type Request, type Response } from "express";
import * as z from "zod";
import { SealbookError, reasonOf } from "../../errors.ts";
import { failure, type PortCalls } from "./port-calls.ts";

const HOST = "127.0.0.1";
/** Several of the largest transactions, or a batch of queries. */
const LARGEST_BODY = 1024 * 1024;
/** With all of them in use, their bodies have 256 MiB. */
const MOST_CONNECTIONS = 256;
/** Maximum time for a request's headers, and for all of it: a local program sends it at once. */
const TIMES = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const KEEP_ALIVE_MILLISECONDS = 60_000;
const GRACE_MILLISECONDS = 1_000;
/** Names of this machine: any other Host header belongs to a web page whose DNS name points here. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
/** User name with the password of this run. */
const OWNER = "owner";

const BodyError = z.object({ status: z.int().min(400).max(499) });

/** The JSON-RPC port of the chain. */
export interface RpcPort {
  readonly url: string;
  /** The address with the password of this run, with which transactions are accepted. */
  readonly ownerUrl: string;
  /** Accepts no more requests, waits briefly for those in flight, and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves JSON-RPC over HTTP on loopback: queries for everybody, transactions for who has the password of this run.
 * @param send Whether everybody may send transactions
 */
export async function openRpcPort(port: number, calls: PortCalls, send: boolean): Promise<RpcPort> {
  const password = randomBytes(24).toString("base64url");
  const owner = Buffer.from(`Basic ${Buffer.from(`${OWNER}:${password}`).toString("base64")}`);
  const maySend = (request: Request): boolean => {
    const given = Buffer.from(request.headers.authorization ?? "");
    return send || (given.length === owner.length && timingSafeEqual(given, owner));
  };
  const app = express().disable("x-powered-by").disable("etag");
  app.use((request, response, next) => {
    if (!LOOPBACK.test(request.headers.host ?? ""))
      return refuse(response, 403, "The embedded chain only accepts requests to this machine's own host names.");
    if (request.method !== "POST") return refuse(response, 405, "JSON-RPC requests are sent with POST.");
    // Without this a web page could send requests as plain text, for which browsers send no preflight.
    if (request.is("application/json") === false || request.headers["content-type"] === undefined)
      return refuse(response, 415, "The content type must be application/json.");
    next();
  });
  app.use(express.json({ limit: LARGEST_BODY, strict: false }));
  app.use(async (request, response) => {
    const answer = await calls.respond(request.body, maySend(request));
    if (answer === undefined) response.status(204).end();
    else response.json(answer);
  });
  const onError: ErrorRequestHandler = (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const { status } = BodyError.safeParse(error).data ?? { status: 500 };
    refuse(response, status, reasonOf(error), status === 400 ? -32700 : status === 500 ? -32603 : -32600);
  };
  app.use(onError);
  const server = createServer(TIMES, app);
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  server.maxConnections = MOST_CONNECTIONS;
  const bound = await listen(server, port);
  return {
    url: `http://${HOST}:${bound}`,
    ownerUrl: `http://${OWNER}:${password}@${HOST}:${bound}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.race([closed, sleep(GRACE_MILLISECONDS, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(response: Response, status: number, message: string, code = -32600): void {
  response
    .set("Connection", "close")
    .status(status)
    .json(failure(null, code, message));
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
