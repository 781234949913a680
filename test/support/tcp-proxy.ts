import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that can be cut. */
export interface TcpProxy {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: number;
  /** Whether responses are dropped from now on. */
  deaf: boolean;
  /** Closes every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a loopback port. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((incoming) => {
    connections += 1;
    const outgoing = connect(target, "127.0.0.1");
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing);
    outgoing.on("data", (data) => void (proxy.deaf || incoming.write(data)));
    outgoing.on("end", () => incoming.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    deaf: false,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
