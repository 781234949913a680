import { connect } from "node:net";

/**
 * Sends bytes over a new connection; returns all received data when the server has closed it, as it does after a
 * malformed request or one with `Connection: close`.
 * @param end Whether the client sends nothing more, so that the server does not wait for the rest
 */
export function sendRaw(url: string, bytes: string | Uint8Array, end = false): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error) =>
      "code" in error && ["ECONNRESET", "EPIPE"].includes(String(error.code)) ? undefined : reject(error),
    );
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}
