import type { KeyObject } from "node:crypto";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SealbookError } from "../../errors.ts";
import { FRAMES, SealedFrames } from "./body-frames.ts";
import type { KnownLeader } from "./known-leader.ts";
import { digestOf, type ForwardedCaller, newNonce, proofOf } from "./forwarded-call.ts";

/** Longer than any wait for the chain. */
const MOST_SILENT_MILLISECONDS = 1_000_000;
/** Time for which an idle connection is kept: shorter than the leader keeps it. */
const IDLE_MILLISECONDS = 30_000;
/** Fewer than the leader takes from one address; further calls wait. */
const CONNECTIONS = { keepAlive: true, timeout: IDLE_MILLISECONDS, maxSockets: 1_024 };
const AGENTS = { http: new HttpAgent(CONNECTIONS), https: new HttpsAgent(CONNECTIONS) };

/** The relayers of a journal. */
export interface Peers {
  /** Id of this one. */
  readonly self: string;
  /** Addresses, by id: from the configuration, because who writes to the database could name any. */
  readonly addresses: ReadonlyMap<string, URL>;
  readonly key: KeyObject;
  readonly leader: KnownLeader;
}

/** A call of another relayer. */
export interface RelayerCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Those of `CLIENT_HEADERS`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: ForwardedCaller;
  /** A stream is read as the other relayer takes it. */
  readonly body: Uint8Array | Readable;
  readonly requestId: string;
  /** Ends the call; the other relayer goes on. */
  readonly signal: AbortSignal;
}

/** Another relayer that leads. */
interface Leader {
  readonly id: string;
  readonly epoch: number;
  readonly address: URL;
  /** Aborted when another one leads. */
  readonly over: AbortSignal;
}

/** Where the leader is; `undefined` when there is none, or its address is not known, or it is this relayer. */
export async function addressOfLeader({ leader, self, addresses }: Peers): Promise<Leader | undefined> {
  const known = await leader.ask();
  if (known === undefined || known.holder === self) return undefined;
  const { holder: id, epoch, over } = known;
  const address = addresses.get(id);
  return address && { id, epoch, address, over };
}

/**
 * Calls the leader.
 * @throws SealbookError `not_leader` when the leader has not got the call; `outcome_unknown` when it may have
 */
export function callLeader(
  { key }: Peers,
  { id: to, epoch, address, over }: Leader,
  { method, url, headers, caller, body, requestId, signal }: RelayerCall,
): Promise<IncomingMessage> {
  const nonce = newNonce();
  const isWhole = body instanceof Uint8Array;
  const covered = { to, epoch, caller, body: isWhole ? digestOf(body) : FRAMES, nonce };
  const isSafe = address.protocol === "https:";
  return new Promise((resolve, reject) => {
    // The target of a request can be a whole address: it is only the path here.
    const call = (isSafe ? httpsRequest : httpRequest)(address, {
      method,
      path: url,
      agent: isSafe ? AGENTS.https : AGENTS.http,
      headers: {
        ...headers,
        ...proofOf(key, { method, url, headers }, covered),
        ...(isWhole ? { "content-length": body.length } : {}),
        "x-request-id": requestId,
      },
      signal: AbortSignal.any([signal, over]),
    });
    const isConnected = connectionOf(call, isSafe);
    call.setTimeout(MOST_SILENT_MILLISECONDS, () => call.destroy());
    call.on("response", resolve);
    call.on("error", (cause) => reject(isConnected() ? outcomeUnknown(cause) : leaderUnreachable(to, cause)));
    if (isWhole) call.end(body);
    // An error of the one side ends the other one.
    else pipeline(body, new SealedFrames(key, nonce), call).catch(() => undefined);
  });
}

/** Follows whether a call has reached the other side. */
function connectionOf(call: ClientRequest, isSafe: boolean): () => boolean {
  let isConnected = false;
  call.on("socket", (socket) => {
    if (!socket.connecting) isConnected = true;
    else socket.once(isSafe ? "secureConnect" : "connect", () => (isConnected = true));
  });
  return () => isConnected;
}

export function outcomeUnknown(cause: unknown): SealbookError {
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
