import { connect } from "node:net";

/** Sends bytes over a new connection; returns all received data until the connection is closed or idle. */
export function sendRaw(url: string, bytes: string | Uint8Array, quietMilliseconds = 500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.setTimeout(quietMilliseconds, () => socket.destroy());
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error) => ("code" in error && error.code === "ECONNRESET" ? undefined : reject(error)));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(bytes);
  });
}
