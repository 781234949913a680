import type { KeyObject } from "node:crypto";
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream/promises";
import type { ErrorRequestHandler, Request, Response } from "express";
import { SealbookError } from "../../errors.ts";
import { authenticatedApiCaller } from "../access/caller.ts";
import { sourceOf } from "../access/source.ts";
import { bodyOf } from "../json-body.ts";
import { forwardedCaller } from "./accept.ts";
import { CLIENT_HEADERS, digestOf, proofOf } from "./forwarded-call.ts";

/** Longer than any wait for the chain. */
const MOST_MILLISECONDS = 1_000_000;
/** Time for which an idle connection is kept: shorter than the leader keeps it. */
const IDLE_MILLISECONDS = 30_000;
/** Fewer than the leader takes from one address; further calls wait. */
const CONNECTIONS = { keepAlive: true, timeout: IDLE_MILLISECONDS, maxSockets: 1_024 };
/** Headers of a connection, or of what this relayer adds itself. */
const OWN_HEADERS = ["connection", "keep-alive", "transfer-encoding", "x-request-id", "date"];

/** The relayers of a journal. */
export interface Peers {
  /** Id of this one. */
  readonly self: string;
  /** Addresses, by id: from the configuration, because who writes to the database could name any. */
  readonly addresses: ReadonlyMap<string, URL>;
  readonly key: KeyObject;
  /** Returns the id of the leader; `undefined` when there is none. */
  leader(): Promise<string | undefined>;
}

/**
 * Forwards to the leader what only the leader can do. The request has passed the checks and limits of this relayer; the
 * leader gets the same bytes, for the caller that this relayer found.
 * @param isLeader Whether this relayer led when it got the request: what it has begun may be in the journal
 */
export function forwardToLeader(peers: Peers | undefined, isLeader: boolean): ErrorRequestHandler {
  const agents = {
    "http:": new HttpAgent(CONNECTIONS),
    "https:": new HttpsAgent(CONNECTIONS),
  };
  return async (error: unknown, request, response, next) => {
    const isOurs = error instanceof SealbookError && error.code === "not_leader" && !response.headersSent;
    if (!isOurs) return next(error);
    if (isLeader) return next(outcomeUnknown(error));
    // A call is never forwarded twice.
    if (peers === undefined || forwardedCaller(request) !== undefined) return next(error);
    try {
      const body = bodyOf(request) ?? (isWithoutBody(request) ? Buffer.of() : undefined);
      const leader = body === undefined ? undefined : await peers.leader();
      const address = leader === undefined || leader === peers.self ? undefined : peers.addresses.get(leader);
      if (body === undefined || leader === undefined || address === undefined) return next(error);
      await forward(request, response, { peers, leader, address, body, agents });
    } catch (failure) {
      next(failure);
    }
  };
}

function isWithoutBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
}

interface Target {
  readonly peers: Peers;
  readonly leader: string;
  readonly address: URL;
  readonly body: Uint8Array;
  readonly agents: { readonly "http:": HttpAgent; readonly "https:": HttpsAgent };
}

async function forward(request: Request, response: Response, target: Target): Promise<void> {
  const answer = await send(request, response, target);
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !OWN_HEADERS.includes(name)) response.setHeader(name, value);
  response.status(answer.statusCode ?? 502);
  await pipeline(answer, response);
}

/** @throws SealbookError `not_leader` when the leader has not got it; `outcome_unknown` when it may have */
function send(
  request: Request,
  response: Response,
  { peers, leader, address, body, agents }: Target,
): Promise<IncomingMessage> {
  const { method, originalUrl: url } = request;
  const { key: source, isProxy, isSecure } = sourceOf(request);
  const api = authenticatedApiCaller(request);
  const caller = { source, isProxy, isSecure, api };
  const headers = Object.fromEntries(
    CLIENT_HEADERS.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
  const proof = proofOf(peers.key, { method, url, headers }, { to: leader, caller, body: digestOf(body) });
  const isSafe = address.protocol === "https:";
  return new Promise((resolve, reject) => {
    // The target of a request can be a whole address: it is only the path here.
    const call = (isSafe ? httpsRequest : httpRequest)(address, {
      method,
      path: url,
      agent: isSafe ? agents["https:"] : agents["http:"],
      headers: {
        ...headers,
        ...proof,
        "content-length": body.length,
        "x-request-id": String(response.getHeader("x-request-id") ?? ""),
      },
    });
    let isConnected = false;
    call.on("socket", (socket) => {
      if (!socket.connecting) isConnected = true;
      else socket.once(isSafe ? "secureConnect" : "connect", () => (isConnected = true));
    });
    // The leader goes on: what it accepted stays accepted.
    const abandon = (): void => void call.destroy();
    response.once("close", abandon);
    call.on("response", (answer) => {
      response.off("close", abandon);
      resolve(answer);
    });
    call.on("error", (cause) => reject(isConnected ? outcomeUnknown(cause) : leaderUnreachable(leader, cause)));
    call.setTimeout(MOST_MILLISECONDS, () => call.destroy());
    call.end(body);
  });
}

function outcomeUnknown(cause: unknown): SealbookError {
  const message =
    "the relayer that leads was lost before its response: whether the call had an effect is not known. Repeat it " +
    "with the same Idempotency-Key";
  return new SealbookError("outcome_unknown", message, { cause, retryAfterSeconds: 1 });
}

function leaderUnreachable(leader: string, cause: unknown): SealbookError {
  return new SealbookError("not_leader", `the relayer ${leader}, which leads, cannot be reached`, {
    cause,
    retryAfterSeconds: 1,
  });
}
