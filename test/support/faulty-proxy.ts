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
 * What becomes of a call; those of one request share its connection:
 * - `pass`: as if there were no proxy
 * - `cut`: the connection breaks before the node gets anything
 * - `deaf`: the node gets it, but the connection breaks before the answer
 * - an answer in the node's place
 * - the node's answer, changed
 * - a body that need be nothing like JSON-RPC
 */
export type Fate =
  | "pass"
  | "cut"
  | "deaf"
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly change: (result: unknown) => unknown }
  | { readonly status: number; readonly body: string };

/** Decides what becomes of a call, at once or later: a fate that never comes is a node that hangs. */
export type Intercept = (call: RpcRequest) => Fate | Promise<Fate>;

/** A node that takes calls and never answers them. */
export const hang = (): Promise<Fate> => new Promise(() => undefined);

/** A node that takes its time. */
export const delay = (milliseconds: number): Promise<Fate> => sleep(milliseconds, "pass" as const);

/** Lets everything pass but calls of some methods. */
export function only(methods: readonly string[], fate: Intercept): Intercept {
  return (call) => (methods.includes(call.method) ? fate(call) : "pass");
}

export const SEND = "eth_sendRawTransaction";
/** How it is learnt what became of a transaction. */
export const RECEIPTS: readonly string[] = ["eth_getBlockReceipts", "eth_getTransactionReceipt"];

/** Often needed: `off` is nobody there, `lossy` confirms transactions and forgets them. */
const MODES = {
  pass: () => "pass",
  off: () => "cut",
  deaf: only([SEND], () => "deaf"),
  lossy: only([SEND], () => ({ result: `0x${"00".repeat(32)}` })),
} satisfies Record<string, Intercept>;

/** A way to a node that can be disturbed. */
export interface FaultyProxy {
  readonly url: string;
  /** The node behind it. */
  target: string;
  intercept: Intercept;
  /** Sets {@link FaultyProxy.intercept} to one that is often needed. */
  mode: keyof typeof MODES;
  /** Whether the node takes a raw transaction: what it says when it does not. */
  refusal: (raw: string) => string | undefined;
  /** Raw transactions that were handed to the node, in order. */
  readonly delivered: string[];
  /** Raw transactions that were asked to be sent, whatever became of them. */
  readonly attempted: string[];
  /** How many requests have ended without an answer: those that were cut, and those that the caller gave up. */
  readonly unanswered: number;
  close(): Promise<void>;
}

/** Puts a proxy in front of the node at `target`. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const delivered: string[] = [];
  const attempted: string[] = [];
  let unanswered = 0;
  let mode: keyof typeof MODES = "pass";

  const decide = async (call: RpcRequest): Promise<Fate> => {
    if (call.method === SEND) attempted.push(String(call.params[0]));
    const fate = await proxy.intercept(call);
    const refused = call.method === SEND && fate === "pass" ? proxy.refusal(String(call.params[0])) : undefined;
    return refused === undefined ? fate : { error: { code: -32000, message: refused } };
  };

  const forward = async (calls: readonly RpcRequest[]): Promise<readonly RpcAnswer[]> => {
    if (calls.length === 0) return [];
    delivered.push(...calls.filter(({ method }) => method === SEND).map(({ params }) => String(params[0])));
    return JSON.parse(await post(proxy.target, JSON.stringify(calls))) as RpcAnswer[];
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
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
    const answers = new Map((await forward(passed)).map((each) => [each.id, each]));
    if (is("deaf")) return void incoming.socket.destroy();
    for (const [id, fate] of fates) {
      if (typeof fate === "string") continue;
      const own = answers.get(id);
      if (!("change" in fate)) answers.set(id, { jsonrpc: "2.0", id, ...fate });
      else if (own !== undefined && "result" in own) answers.set(id, { ...own, result: fate.change(own.result) });
    }
    const inOrder = calls.map(({ id }) => answers.get(id));
    reply(response, 200, JSON.stringify(Array.isArray(parsed) ? inOrder : inOrder[0]));
  };

  const server = createServer((incoming, response) => {
    response.once("close", () => (unanswered += response.writableEnded ? 0 : 1));
    answer(incoming, response).catch(() => incoming.socket.destroy());
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
    get unanswered() {
      return unanswered;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

interface RpcAnswer {
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
