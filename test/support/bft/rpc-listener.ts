import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type BesuNode, RpcRefused } from "./besu-node.ts";

/** The RPC port of a node. */
export interface RpcListener {
  readonly http: string;
  /** While false, connections are refused. */
  isUp: boolean;
  close(): Promise<void>;
}

export async function listenFor(node: BesuNode): Promise<RpcListener> {
  const sockets = new Set<Socket>();
  let isUp = true;

  const reply = async (text: string): Promise<string> => {
    const parsed: unknown = JSON.parse(text);
    const calls = (Array.isArray(parsed) ? parsed : [parsed]) as { id: number; method: string; params?: unknown[] }[];
    const responses = await Promise.all(
      calls.map(async ({ id, method, params = [] }) => {
        try {
          return { jsonrpc: "2.0", id, result: await node.respond(method, params) };
        } catch (error) {
          const { code, message } = error instanceof RpcRefused ? error : new RpcRefused(-32603, String(error));
          return { jsonrpc: "2.0", id, error: error instanceof RpcRefused ? { code, message } : revertOf(message) };
        }
      }),
    );
    return JSON.stringify(Array.isArray(parsed) ? responses : responses[0]);
  };

  const server = createServer((request, response) => {
    void readAll(request)
      .then(reply)
      .then(
        (text) => {
          if (!isUp) return void request.socket.destroy();
          response.writeHead(200, { "Content-Type": "application/json" }).end(text);
        },
        () => request.socket.destroy(),
      );
  });
  server.on("connection", (socket) => {
    if (!isUp) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    http: `http://127.0.0.1:${port}`,
    get isUp() {
      return isUp;
    },
    set isUp(value) {
      isUp = value;
      if (!value) cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

/** Converts an error of Anvil with its revert data. */
function revertOf(message: string): object {
  const inner = /^Error: \w+: (\{.*\})$/.exec(message)?.[1];
  return inner === undefined ? { code: -32603, message } : (JSON.parse(inner) as object);
}

async function readAll(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
