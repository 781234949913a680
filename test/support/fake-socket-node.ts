import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A received call. */
export interface SocketCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly socket: WebSocket;
}

/** A simulated node over WebSocket: by default the response to each call is the name of its method. */
export class FakeSocketNode {
  readonly calls: SocketCall[] = [];
  /** Open connections, the oldest first. */
  readonly sockets: WebSocket[] = [];
  /** Authorization headers of the connection requests. */
  readonly authorizations: (string | undefined)[] = [];
  onCall: (call: SocketCall) => void = (call) => this.respond(call, call.method);
  #server: WebSocketServer | undefined;
  #port = 0;

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Listens; after {@link FakeSocketNode.stop} on the same port. */
  async start(): Promise<this> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: this.#port, autoPong: false });
    server.on("connection", (socket, request) => {
      this.sockets.push(socket);
      this.authorizations.push(request.headers.authorization);
      socket.on("close", () => this.sockets.splice(this.sockets.indexOf(socket), 1));
      socket.on("ping", (data) => this.onPing(socket, data));
      socket.on("message", (data) => {
        const { id, method, params } = JSON.parse(String(data)) as Omit<SocketCall, "socket">;
        const call = { id, method, params, socket };
        this.calls.push(call);
        this.onCall(call);
      });
    });
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  onPing: (socket: WebSocket, data: Buffer) => void = (socket, data) => socket.pong(data);

  respond({ id, socket }: SocketCall, result: unknown): void {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  refuse({ id, socket }: SocketCall, error: object): void {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  notify(socket: WebSocket, subscription: string, result: unknown): void {
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result } }));
  }

  /** Closes every connection. */
  cut(): void {
    for (const socket of [...this.sockets]) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }
}
