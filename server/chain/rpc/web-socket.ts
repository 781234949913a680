import { WebSocket } from "ws";
import type { OpenSocket } from "./message-socket.ts";
import { explainTls, NODE, type PeerTlsOptions, type TlsPeer } from "./peer-tls.ts";
import { MAX_RESPONSE_BYTES, TIMEOUT_MILLISECONDS } from "./rpc.ts";

/** How often the other side has to give a sign of life. An answer that takes longer to come in is as good as none. */
const PULSE_MILLISECONDS = TIMEOUT_MILLISECONDS / 2;

/** Opens WebSockets to an address. One whose other side is gone without a word is noticed within two pulses. */
export function webSocketOpener(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { tls = {}, peer = NODE }: { readonly tls?: PeerTlsOptions; readonly peer?: TlsPeer } = {},
  pulseMilliseconds = PULSE_MILLISECONDS,
): OpenSocket {
  return ({ onOpen, onMessage, onClose }) => {
    const socket = new WebSocket(url, {
      ...tls,
      headers,
      handshakeTimeout: TIMEOUT_MILLISECONDS,
      maxPayload: MAX_RESPONSE_BYTES,
      // Most nodes are near, and what they say is mostly hashes.
      perMessageDeflate: false,
    });
    let reason: Error | undefined;
    let alive = true;
    let pulse: NodeJS.Timeout | undefined;
    const destroy = (why: Error): void => {
      reason ??= why;
      socket.terminate();
    };
    socket.on("open", () => {
      pulse = setInterval(() => {
        if (!alive) return destroy(new Error("the node gives no sign of life"));
        alive = false;
        socket.ping();
      }, pulseMilliseconds);
      onOpen();
    });
    socket.on("pong", () => (alive = true));
    socket.on("message", (data) => {
      alive = true;
      onMessage(Buffer.isBuffer(data) ? data.toString("utf8") : "");
    });
    socket.on("error", (error) => (reason ??= explainTls(error, peer)));
    socket.on("close", (code) => {
      clearInterval(pulse);
      onClose(reason ?? new Error(`the node closed the connection (${code})`));
    });
    return { send: (text) => socket.send(text), destroy };
  };
}
