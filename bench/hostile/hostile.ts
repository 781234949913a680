import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** What the hostile client has prepared before it begins. */
export const Arsenal = z.object({
  url: z.string(),
  chainUrl: z.string(),
  /** Its own account. */
  account: z.object({ login: z.string(), password: z.string() }),
  /** Address of the well-behaved client's account. */
  victim: z.string(),
  /** A document with very many proofs. */
  document: z.string(),
  /** A batch of a thousand of them. */
  batch: z.object({ root: z.string(), transaction: z.string() }),
  verificationId: z.string(),
  /** Hash of a transaction whose row expands most. */
  rowTransaction: z.string(),
  /** Signed transactions of one account. */
  transactions: z.array(z.string()),
});

/** What one attack needs, and where it counts what it did. */
export interface Hostile extends z.output<typeof Arsenal> {
  /** Tokens of sessions of its account. */
  readonly tokens: readonly string[];
  readonly signal: AbortSignal;
  /** Counts a response by its status, or a connection's end by its reason. */
  readonly count: (outcome: string) => void;
}

/** Goes on at full speed until the signal. */
export type Attack = (hostile: Hostile) => Promise<void>;

/** One request. */
export interface HostileRequest {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
}

/** The address that the hostile client connects from. */
export const SOURCE = "127.0.0.2";

/**
 * Sends requests on some connections, each as soon as the response to its previous one has arrived. A refusal changes
 * nothing.
 */
export async function flood(
  { url, signal, count }: Pick<Hostile, "url" | "signal" | "count">,
  connections: number,
  next: () => HostileRequest,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: SOURCE });
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      const outcome = await send(agent, url, next());
      count(outcome);
      // A connection that is refused at once must not keep this process from all others.
      if (!/^\d/.test(outcome)) await sleep(1);
    }
  };
  signal.addEventListener("abort", () => agent.destroy(), { once: true });
  await Promise.all(Array.from({ length: connections }, client));
}

function send(agent: Agent, url: string, { path, body, headers = {} }: HostileRequest): Promise<string> {
  return new Promise((resolve) => {
    const usual = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": body.length };
    const method = body === undefined ? "GET" : "POST";
    const made = request(new URL(path, url), { agent, method, headers: { ...usual, ...headers } });
    made.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    made.on("close", () => resolve("closed"));
    made.on("response", (response) => {
      const end = (): void => resolve(String(response.statusCode));
      response.on("end", end).on("error", end).on("close", end).resume();
    });
    made.end(body);
  });
}

/** Returns a call of the record store. */
export function call(route: string, credentials: object, payload?: object): HostileRequest {
  const content = { method: "GET", route, credentials, ...(payload === undefined ? {} : { payload }) };
  return { path: "/api", body: Buffer.from(JSON.stringify(content)) };
}

/** Returns the values in turn, without an end. */
export function inTurn<Value>(values: readonly Value[]): () => Value {
  let index = -1;
  return () => {
    const value = values[(index += 1) % values.length];
    if (value === undefined) throw new Error("there are no values");
    return value;
  };
}
