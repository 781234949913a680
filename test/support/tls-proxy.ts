import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer } from "node:tls";

/** A certificate and its key, in PEM. */
export interface Shown {
  readonly certificate: string;
  readonly key: string;
}

/** A TLS proxy, as a node's operator uses it: accepts only clients with a certificate of an authority. */
export interface TlsProxy {
  readonly port: number;
  /** Changes the certificate, and closes every connection. */
  show(certificate: Shown): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of a loopback port.
 * @param clients The authority of the accepted client certificates
 */
export async function startTlsProxy(
  target: number,
  shown: Shown,
  clients: Pick<Shown, "certificate">,
): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  const options = ({ certificate, key }: Shown) => ({ cert: certificate, key, ca: clients.certificate });
  const server = createServer({ ...options(shown), requestCert: true, rejectUnauthorized: true }, (incoming) => {
    const outgoing = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    show(certificate) {
      server.setSecureContext(options(certificate));
      cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
