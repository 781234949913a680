import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of a JSON-RPC request. */
export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * What becomes of a request:
 * - `pass`: as if there were no proxy
 * - `off`: nobody is there
 * - `deaf`: the node gets it, but the answer is cut off
 * - `lossy`: transactions are confirmed and thrown away, as by a node that forgets its pool
 */
export type ProxyMode = "pass" | "off" | "deaf" | "lossy";

/** A way to a node that can be disturbed. */
export interface FaultyProxy {
  readonly url: string;
  mode: ProxyMode;
  /** Whether the node takes a raw transaction: what it says when it does not. */
  refusal: (raw: string) => string | undefined;
  /** Raw transactions that reached the node, in order. */
  readonly delivered: string[];
  /** Raw transactions that were asked to be sent, whatever became of them. */
  readonly attempted: string[];
  close(): Promise<void>;
}

/** Puts a proxy in front of the node at `target`. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const delivered: string[] = [];
  const attempted: string[] = [];
  const { hostname, port } = new URL(target);

  const forward = (body: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        { hostname, port, method: "POST", headers: { "Content-Type": "application/json" } },
        (incoming) => readAll(incoming).then((text) => resolve({ status: incoming.statusCode ?? 502, text }), reject),
      );
      outgoing.on("error", reject).end(body);
    });

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mode = proxy.mode;
    if (mode === "off") return void incoming.socket.destroy();
    const body = await readAll(incoming);
    const parsed: unknown = JSON.parse(body);
    const calls = (Array.isArray(parsed) ? parsed : [parsed]) as RpcRequest[];
    const raw = calls.filter(({ method }) => method === "eth_sendRawTransaction").map(({ params }) => String(params[0]));
    attempted.push(...raw);
    if (mode === "lossy" && raw.length > 0) {
      const results = calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${"00".repeat(32)}` }));
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(Array.isArray(parsed) ? results : results[0]));
      return;
    }
    const refused = calls.map(({ method, params }) => (method === "eth_sendRawTransaction" ? proxy.refusal(String(params[0])) : undefined));
    if (refused.some((message) => message !== undefined)) {
      // Those that come in the same request are not delivered either, as by a node that stops at the first fault.
      const errors = calls.map(({ id }, index) => ({ jsonrpc: "2.0", id, error: { code: -32000, message: refused[index] ?? "busy" } }));
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(Array.isArray(parsed) ? errors : errors[0]));
      return;
    }
    delivered.push(...raw);
    const { status, text } = await forward(body);
    if (mode === "deaf" && raw.length > 0) return void incoming.socket.destroy();
    response.statusCode = status;
    response.setHeader("Content-Type", "application/json");
    response.end(text);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: "pass",
    refusal: () => undefined,
    delivered,
    attempted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
