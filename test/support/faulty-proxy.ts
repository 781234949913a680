import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One call of a JSON-RPC request. */
export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * Handling of a call; the calls of one request share its connection:
 * - `pass`: no change
 * - `cut`: the connection breaks before the node receives the call
 * - `deaf`: the node receives the call, but the connection breaks before the response
 * - a response instead of the node's
 * - a change of the node's response
 * - a body with any content, not necessarily JSON-RPC
 */
export type Fate =
  | "pass"
  | "cut"
  | "deaf"
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly change: (result: unknown) => unknown }
  | { readonly status: number; readonly body: string };

/** Determines the handling of a call, synchronously or not: a pending promise simulates a hanging node. */
export type Intercept = (call: RpcRequest) => Fate | Promise<Fate>;

/** Simulates a node that accepts calls and never responds. */
export const hang = (): Promise<Fate> => new Promise(() => undefined);

/** Simulates a slow node. */
export const delay = (milliseconds: number): Promise<Fate> => sleep(milliseconds, "pass" as const);

/** Passes all calls except those of some methods. */
export function only(methods: readonly string[], fate: Intercept): Intercept {
  return (call) => (methods.includes(call.method) ? fate(call) : "pass");
}

export const SEND = "eth_sendRawTransaction";
/** Methods that fetch the outcome of a transaction. */
export const RECEIPTS: readonly string[] = ["eth_getBlockReceipts", "eth_getTransactionReceipt"];

/** Common modes: `off` refuses connections, `lossy` confirms transactions and drops them. */
const MODES = {
  pass: () => "pass",
  off: () => "cut",
  deaf: only([SEND], () => "deaf"),
  lossy: only([SEND], () => ({ result: `0x${"00".repeat(32)}` })),
} satisfies Record<string, Intercept>;

/** A proxy to a node that can simulate faults. */
export interface FaultyProxy {
  readonly url: string;
  /** The node's address. */
  target: string;
  intercept: Intercept;
  /** Sets {@link FaultyProxy.intercept} to a common mode. */
  mode: keyof typeof MODES;
  /** Returns the error for a raw transaction; `undefined` to accept it. */
  refusal: (raw: string) => string | undefined;
  /** Raw transactions that reached the node, in order. */
  readonly delivered: string[];
  /** Raw transactions of all requests, including those that did not reach the node. */
  readonly attempted: string[];
  /** Number of requests without a response: cut by the proxy, or aborted by the caller. */
  readonly withoutResponse: number;
  close(): Promise<void>;
}

/** Starts a proxy in front of the node at `target`. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const delivered: string[] = [];
  const attempted: string[] = [];
  let lost = 0;
  let mode: keyof typeof MODES = "pass";

  const decide = async (call: RpcRequest): Promise<Fate> => {
    if (call.method === SEND) attempted.push(String(call.params[0]));
    const fate = await proxy.intercept(call);
    const refused = call.method === SEND && fate === "pass" ? proxy.refusal(String(call.params[0])) : undefined;
    return refused === undefined ? fate : { error: { code: -32000, message: refused } };
  };

  const forward = async (calls: readonly RpcRequest[]): Promise<readonly RpcResponse[]> => {
    if (calls.length === 0) return [];
    delivered.push(...calls.filter(({ method }) => method === SEND).map(({ params }) => String(params[0])));
    return JSON.parse(await post(proxy.target, JSON.stringify(calls))) as RpcResponse[];
  };

  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parsed: unknown = JSON.parse(await readAll(incoming));
    const calls = (Array.isArray(parsed) ? parsed : [parsed]) as RpcRequest[];
    const fates = new Map(await Promise.all(calls.map(async (call) => [call.id, await decide(call)] as const)));
    const is = (...names: Fate[]) => [...fates.values()].some((fate) => names.includes(fate));
    if (is("cut")) return void incoming.socket.destroy();
    const rubbish = [...fates.values()].find((fate) => typeof fate === "object" && "body" in fate);
    if (typeof rubbish === "object" && "body" in rubbish) return reply(response, rubbish.status, rubbish.body);
    const passed = calls.filter(({ id }) => {
      const fate = fates.get(id) ?? "pass";
      return typeof fate === "string" || "change" in fate;
    });
    const responses = new Map((await forward(passed)).map((each) => [each.id, each]));
    if (is("deaf")) return void incoming.socket.destroy();
    for (const [id, fate] of fates) {
      if (typeof fate === "string") continue;
      const own = responses.get(id);
      if (!("change" in fate)) responses.set(id, { jsonrpc: "2.0", id, ...fate });
      else if (own !== undefined && "result" in own) responses.set(id, { ...own, result: fate.change(own.result) });
    }
    const inOrder = calls.map(({ id }) => responses.get(id));
    reply(response, 200, JSON.stringify(Array.isArray(parsed) ? inOrder : inOrder[0]));
  };

  const server = createServer((incoming, response) => {
    response.once("close", () => (lost += response.writableEnded ? 0 : 1));
    respond(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    intercept: MODES.pass,
    get mode() {
      return mode;
    },
    set mode(chosen) {
      mode = chosen;
      proxy.intercept = MODES[chosen];
    },
    refusal: () => undefined,
    delivered,
    attempted,
    get withoutResponse() {
      return lost;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

interface RpcResponse {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: unknown;
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(body);
}

function post(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: "POST", headers: { "Content-Type": "application/json" } }, (incoming) =>
      readAll(incoming).then(resolve, reject),
    );
    outgoing.on("error", reject).end(body);
  });
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
