import { createHash, createHmac, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod";
import { equalBytes } from "../../kit/bytes.ts";
import { OpenedFrames } from "./body-frames.ts";

/** Header with what a follower says about a call, and header with its code. */
export const CALL_HEADER = "sealbook-forwarded";
export const CODE_HEADER = "sealbook-forwarded-code";
/** Headers of the client that have an effect, and that the code covers. */
export const CLIENT_HEADERS = ["accept", "content-encoding", "content-type", "idempotency-key"] as const;
/** Maximum age of a call: clocks of relayers differ. */
const MOST_MILLISECONDS = 60_000;

/** Who makes a call, as the relayer found that got it from the client. */
const ForwardedCaller = z.object({
  /** See `sourceKey`. */
  source: z.string(),
  isProxy: z.boolean(),
  isSecure: z.boolean(),
  api: z
    .object({
      kind: z.enum(["account", "api_key", "token", "source"]),
      id: z.string(),
      scope: z.enum(["read", "write"]),
    })
    .optional(),
});
export type ForwardedCaller = z.output<typeof ForwardedCaller>;

const ForwardedCall = z.object({
  /** Id of the leader that it is meant for. */
  to: z.string(),
  /** Its leadership: a call of another one, as before a restart, does not count. */
  epoch: z.number(),
  caller: ForwardedCaller,
  /** SHA-256 of the body, hex; or `FRAMES`. */
  body: z.string(),
  /** Unix milliseconds. */
  time: z.number(),
  nonce: z.string(),
});
type ForwardedCall = z.output<typeof ForwardedCall>;

/** A request, as far as the code covers it. */
interface CoveredRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export function digestOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

/** Creates the number of a call, which counts once. */
export function newNonce(): string {
  return randomBytes(16).toString("base64url");
}

/** Returns the headers that prove a call to the leader. The key travels with none of them. */
export function proofOf(
  key: KeyObject,
  request: CoveredRequest,
  call: Omit<ForwardedCall, "time">,
): Record<string, string> {
  const complete: ForwardedCall = { ...call, time: Date.now() };
  const text = Buffer.from(JSON.stringify(complete)).toString("base64url");
  return { [CALL_HEADER]: text, [CODE_HEADER]: codeOf(key, request, text).toString("hex") };
}

function codeOf(key: KeyObject, { method, url, headers }: CoveredRequest, call: string): Buffer {
  const covered = [method, url, ...CLIENT_HEADERS.map((name) => headers[name] ?? null), call];
  return createHmac("sha256", key).update(JSON.stringify(covered)).digest();
}

/** Checks forwarded calls: each counts once. */
export class ForwardedCalls {
  readonly #key: KeyObject;
  readonly #self: string;
  readonly #epoch: () => number | undefined;
  /** The nonces of calls that are not too old yet, with their times; oldest first. */
  readonly #seen = new Map<string, number>();

  /**
   * @param self Id of this relayer
   * @param epoch Returns its leadership; `undefined` while it follows
   */
  constructor(key: KeyObject, self: string, epoch: () => number | undefined) {
    this.#key = key;
    this.#self = self;
    this.#epoch = epoch;
  }

  /** Whether a call is of the leadership that this relayer has now. */
  isCurrent({ epoch }: Pick<ForwardedCall, "epoch">): boolean {
    return epoch === this.#epoch();
  }

  /** Returns a reader of the body of a call that is sent in frames. */
  frames({ nonce }: Pick<ForwardedCall, "nonce">): OpenedFrames {
    return new OpenedFrames(this.#key, nonce);
  }

  /** Returns what a follower says about a request; `undefined` when no relayer of this journal says so, or again. */
  check(request: CoveredRequest): ForwardedCall | undefined {
    const { [CALL_HEADER]: text, [CODE_HEADER]: code } = request.headers;
    if (typeof text !== "string" || typeof code !== "string") return undefined;
    if (!equalBytes(Buffer.from(code, "hex"), codeOf(this.#key, request, text))) return undefined;
    // One of another version can have another form.
    const { data: call } = ForwardedCall.safeParse(JSON.parse(Buffer.from(text, "base64url").toString()));
    const now = Date.now();
    if (call === undefined) return undefined;
    if (call.to !== this.#self || Math.abs(now - call.time) > MOST_MILLISECONDS) return undefined;
    if (this.#seen.has(call.nonce)) return undefined;
    for (const [nonce, time] of this.#seen) {
      if (now - time <= 2 * MOST_MILLISECONDS) break;
      this.#seen.delete(nonce);
    }
    this.#seen.set(call.nonce, now);
    return call;
  }
}
